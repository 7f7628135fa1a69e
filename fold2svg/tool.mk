TOOLS += fold2svg
fold2svg_LIB_SRC := $(addprefix fold2svg/,flametree.c flamelayout.c palette.c module.c look.c \
	label.c font.c layout.c frames.c legend.c document.c data.c picture.c classic.c \
	palmap.c nameattr.c count.c)
fold2svg_SRC := $(addprefix fold2svg/,fold2svg.c options.c input.c) $(fold2svg_LIB_SRC)
fold2svg_LIBS := -lm
fold2svg_GEN := $(addprefix $(O)/fold2svg/,script.inc style.inc picture.inc)
unit_flametree_SRC := $(addprefix fold2svg/,flametree.c flamelayout.c)
unit_classic_SRC := $(addprefix fold2svg/,classic.c palmap.c)
unit_classic_LIBS := -lm
unit_count_SRC := fold2svg/count.c
unit_palette_SRC := fold2svg/palette.c
unit_palette_LIBS := -lm
unit_label_SRC := fold2svg/label.c
unit_module_SRC := fold2svg/module.c
fuzz_fold2svg_SRC := $(fold2svg_LIB_SRC) fold2svg/input.c
fuzz_fold2svg_LIBS := -lm

# The script, whose parts share one scope, and the style sheet as string literals
# ('?' escaped: no trigraphs).
fold2svg_MODEL := $(addprefix fold2svg/flame-,data.js tree.js callers.js search.js table.js text.js)
fold2svg_SCRIPT := $(fold2svg_MODEL) $(addprefix fold2svg/flame-,dom.js look.js boxes.js view.js \
	state.js details.js toolbar.js panel.js table-ui.js keys.js) fold2svg/flame.js
fold2svg_literal = sed -e 's/\\/\\\\/g' -e 's/["?]/\\&/g' -e 's/.*/"&\\n"/'

$(O)/fold2svg/script.inc: $(fold2svg_SCRIPT)
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D) && cat $^ | $(fold2svg_literal) >$@.new && mv $@.new $@
$(O)/fold2svg/style.inc: fold2svg/flame.css
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D) && $(fold2svg_literal) $< >$@.new && mv $@.new $@
$(O)/fold2svg/picture.inc: fold2svg/picture.css
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D) && $(fold2svg_literal) $< >$@.new && mv $@.new $@
$(O)/fold2svg/picture.o: $(fold2svg_GEN)
