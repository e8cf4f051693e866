package cuda

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fencepost-dev/fencepost/program"
)

// parseInt reads a C++ integer literal: any base, digit separators, suffixes. Values beyond int64 keep their bits.
func parseInt(s string) (int64, bool) {
	s = strings.ReplaceAll(s, "'", "")
	isHex := len(s) > 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')
	if !isHex && strings.ContainsAny(s, ".eEfF") {
		return 0, false
	}
	s = strings.TrimRight(s, "uUlLzZ")
	if len(s) > 1 && s[0] == '0' && isDigit(s[1]) {
		s = "0o" + s[1:]
	}
	v, err := strconv.ParseUint(s, 0, 64)
	return int64(v), err == nil
}

// integer reads an integer literal, or answers nil.
func integer(s string, at program.Place) program.Expr {
	v, ok := parseInt(s)
	if !ok {
		return nil
	}
	s = strings.ToLower(s)
	digits := strings.TrimRight(s, "ulz")
	suffix := s[len(digits):]
	if rest := strings.ReplaceAll(suffix, "u", ""); len(rest) < len(suffix) {
		suffix = "u" + rest
	}
	return &program.Int{Place: at, Value: v, Suffix: suffix, Based: digits[0] == '0'}
}

// decode reads the body of an ordinary literal. at[i] is the offset in raw of the i-th decoded byte.
func decode(raw []byte) (value []byte, at []int) {
	emit := func(from int, b ...byte) {
		for _, c := range b {
			value = append(value, c)
			at = append(at, from)
		}
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' || i+1 >= len(raw) {
			emit(i, raw[i])
			continue
		}
		from := i
		i++
		switch c := raw[i]; c {
		case 'n':
			emit(from, '\n')
		case 't':
			emit(from, '\t')
		case 'r':
			emit(from, '\r')
		case 'v':
			emit(from, '\v')
		case 'f':
			emit(from, '\f')
		case 'a':
			emit(from, 7)
		case 'b':
			emit(from, 8)
		case '\n': // a continued line
		case '\r':
			if i+1 < len(raw) && raw[i+1] == '\n' {
				i++
			}
		case 'x':
			v, n := digits(raw[i+1:], 16, 2)
			emit(from, byte(v))
			i += n
		case 'u', 'U':
			width := 4
			if c == 'U' {
				width = 8
			}
			v, n := digits(raw[i+1:], 16, width)
			emit(from, utf8.AppendRune(nil, rune(v))...)
			i += n
		case '0', '1', '2', '3', '4', '5', '6', '7':
			v, n := digits(raw[i:], 8, 3)
			emit(from, byte(v))
			i += n - 1
		default:
			emit(from, c)
		}
	}
	return value, at
}

// digits reads at most limit digits of the base.
func digits(b []byte, base, limit int) (v, n int) {
	for n < len(b) && n < limit {
		d, err := strconv.ParseUint(string(b[n]), base, 8)
		if err != nil {
			break
		}
		v = v*base + int(d)
		n++
	}
	return v, n
}
