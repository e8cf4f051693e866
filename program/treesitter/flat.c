#include "flat.h"

#include <stdlib.h>

typedef struct {
	const char *bytes;
	uint32_t size;
} text_input;

static const char *read_text(void *payload, uint32_t at, TSPoint point, uint32_t *length) {
	const text_input *t = payload;
	(void)point;
	*length = at < t->size ? t->size - at : 0;
	return *length > 0 ? t->bytes + at : "";
}

static bool spent(TSParseState *state) {
	uint64_t *left = state->payload;
	if (*left == 0) return true;
	--*left;
	return false;
}

static bool add(flat_tree *out, const TSTreeCursor *cursor, uint32_t depth) {
	if (out->count == out->room) {
		size_t room = out->room > 0 ? 2 * out->room : 4096;
		flat_node *more = realloc(out->nodes, room * sizeof *more);
		if (more == NULL) return false;
		out->nodes = more;
		out->room = room;
	}
	TSNode node = ts_tree_cursor_current_node(cursor);
	flat_node *n = &out->nodes[out->count++];
	*n = (flat_node){
		.start = ts_node_start_byte(node),
		.end = ts_node_end_byte(node),
		.depth = depth,
		.symbol = ts_node_symbol(node),
		.field = ts_tree_cursor_current_field_id(cursor),
	};
	if (ts_node_has_error(node)) n->flags = ts_node_is_missing(node) ? FLAT_ERROR | FLAT_MISSING : FLAT_ERROR;
	return true;
}

// list goes on with the siblings beyond the limit, so that whoever reads the list sees what is left out.
static bool list(flat_tree *out, const TSTree *tree, size_t most, uint32_t deepest) {
	TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
	uint32_t depth = 0;
	bool ok = true, more = true;
	while (more && (ok = add(out, &cursor, depth))) {
		if (depth < deepest && out->count < most && ts_tree_cursor_goto_first_child(&cursor)) {
			depth++;
			continue;
		}
		while (!(more = ts_tree_cursor_goto_next_sibling(&cursor)) && ts_tree_cursor_goto_parent(&cursor)) depth--;
	}
	ts_tree_cursor_delete(&cursor);
	return ok;
}

void flat_parse(flat_tree *out, TSParser *parser, const char *text, uint32_t size, uint64_t steps, size_t most, uint32_t deepest) {
	out->count = 0;
	text_input t = {text, size};
	TSInput input = {.payload = &t, .read = read_text, .encoding = TSInputEncodingUTF8};
	TSParseOptions options = {.payload = &steps, .progress_callback = steps > 0 ? spent : NULL};
	TSTree *tree = ts_parser_parse_with_options(parser, NULL, input, options);
	out->stopped = tree == NULL;
	if (out->stopped) {
		ts_parser_reset(parser);
		return;
	}
	out->memory = !list(out, tree, most, deepest);
	ts_tree_delete(tree);
}
