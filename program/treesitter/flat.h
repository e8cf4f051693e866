#include <stddef.h>
#include <stdint.h>

#include "tree_sitter/api.h"

enum { FLAT_ERROR = 1, FLAT_MISSING = 2 };

typedef struct {
	uint32_t start, end; // bytes of the text
	uint32_t depth;      // 0 for the root
	uint16_t symbol, field;
	uint16_t flags;
} flat_node;

typedef struct {
	flat_node *nodes; // a node before its children; the caller frees them
	size_t count, room;
	bool stopped; // a limit ended the parser: there is no tree
	bool memory;  // there was too little of it
} flat_tree;

// flat_parse reads a text. It gives up after that many steps of the parser, if any are given. Where most nodes are listed, or
// a node is as deep as deepest, it lists no children. The list of another text, which out holds, makes way for the new one.
void flat_parse(flat_tree *out, TSParser *parser, const char *text, uint32_t size, uint64_t steps, size_t most, uint32_t deepest);
