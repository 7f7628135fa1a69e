/* Stands in for what is not written yet; the real ones take precedence. */
#include "classic.h"
#include "count.h"
#include "label.h"
#include "nameattr.h"

__attribute__((weak)) void count_add(struct strbuf *sb, uint64_t n, unsigned decimals,
				     struct decimal factor)
{
	(void)factor;
	while (decimals--)
		n /= 10;
	label_add_count(sb, n);
}

__attribute__((weak)) const struct attributes *nameattr_find(const struct nameattr *na,
							     struct slice name)
{
	(void)na;
	(void)name;
	return NULL;
}

__attribute__((weak)) uint32_t classic_rgb(const struct classic *c, struct slice name)
{
	(void)c;
	return 0xff8000 + (uint32_t)name.len;
}
