#include "base/damage.h"

#include "base/utf8.h"

void damage_add_place(struct strbuf *sb, const char *name, uint64_t line, const char *why)
{
	strbuf_addclean(sb, slice_str(name));
	strbuf_addch(sb, ':');
	strbuf_addu64(sb, line);
	strbuf_addstr(sb, ": ");
	strbuf_addstr(sb, why);
}

void damage_note(struct damage *d, const char *name, uint64_t line, const char *why)
{
	if (d->lines++ == 0)
		damage_add_place(&d->first, name, line, why);
}

void damage_merge(struct damage *all, struct damage *one)
{
	if (!all->lines) {
		strbuf_release(&all->first);
		all->first = one->first;
	} else {
		strbuf_release(&one->first);
	}
	all->lines += one->lines;
	*one = (struct damage){ 0 };
}

void damage_release(struct damage *d)
{
	strbuf_release(&d->first);
	d->lines = 0;
}
