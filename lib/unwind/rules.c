#include "unwind/rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

static uint64_t rule_hash(const struct unwind_rule *rule)
{
	uint64_t w[2];

	_Static_assert(sizeof(*rule) == sizeof(w), "a rule is two words, without padding");
	memcpy(w, rule, sizeof(w));
	return hash_u64(w[0] ^ hash_u64(w[1]));
}

static void insert_slot(struct unwind_rules *rules, size_t index)
{
	size_t i = rule_hash(&rules->rules[index]) & (rules->nslots - 1);

	while (rules->slots[i])
		i = (i + 1) & (rules->nslots - 1);
	rules->slots[i] = (uint32_t)index + 1;
}

static void append(struct unwind_rules *rules, const struct unwind_rule *rule)
{
	rules->rules = grow(rules->rules, rules->len, &rules->cap, sizeof(*rule));
	rules->rules[rules->len++] = *rule;
	if (rules->len * 2 <= rules->nslots) {
		insert_slot(rules, rules->len - 1);
		return;
	}
	free(rules->slots);
	rules->nslots = rules->nslots ? rules->nslots * 2 : 1024;
	rules->slots = xcalloc(rules->nslots, sizeof(*rules->slots));
	for (size_t i = 0; i < rules->len; i++)
		insert_slot(rules, i);
}

uint16_t unwind_rules_add(struct unwind_rules *rules, const struct unwind_rule *rule)
{
	size_t i;

	if (!rules->len) {
		append(rules, &(struct unwind_rule){ .cfa = UNWIND_CFA_NONE });
		append(rules, &(struct unwind_rule){ .cfa = UNWIND_CFA_UNSUPPORTED });
	}
	for (i = rule_hash(rule) & (rules->nslots - 1); rules->slots[i];
	     i = (i + 1) & (rules->nslots - 1)) {
		uint32_t index = rules->slots[i] - 1;

		if (!memcmp(&rules->rules[index], rule, sizeof(*rule)))
			return (uint16_t)index;
	}
	if (rules->len == UNWIND_RULES_MAX || (rules->limit && rules->len >= rules->limit)) {
		rules->refused++;
		return UNWIND_RULE_UNSUPPORTED;
	}
	append(rules, rule);
	return (uint16_t)(rules->len - 1);
}

void unwind_rules_release(struct unwind_rules *rules)
{
	free(rules->rules);
	free(rules->slots);
	*rules = (struct unwind_rules){ 0 };
}
