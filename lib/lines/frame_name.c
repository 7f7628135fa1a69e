#include "lines/frame_name.h"

bool frame_name_cut(enum stackline_kind kind, struct slice *name, struct slice *rest)
{
	/* neither the first byte nor the last: "->f" is a name */
	const char *arrow = kind == STACKLINE_JIT && name->len > 3 ?
		memmem(name->p + 1, name->len - 2, "->", 2) : NULL;

	if (!arrow)
		return false;
	*rest = (struct slice){ arrow + 2, (size_t)(name->p + name->len - arrow) - 2 };
	name->len = (size_t)(arrow - name->p);
	return true;
}

struct slice frame_name_java(struct slice name)
{
	const char *semi = name.len ? memchr(name.p, ';', name.len) : NULL;

	if (!semi || name.p[0] != 'L' || !memchr(name.p, '/', (size_t)(semi - name.p)))
		return name;
	return (struct slice){ name.p + 1, name.len - 1 };
}

void frame_name_add_unknown(struct strbuf *sb, struct slice module)
{
	module = slice_basename(module);
	if (!module.len) {
		strbuf_addstr(sb, "[unknown]");
	} else if (module.p[0] == '[') {
		strbuf_addslice(sb, module);
	} else {
		strbuf_addch(sb, '[');
		strbuf_addslice(sb, module);
		strbuf_addch(sb, ']');
	}
}
