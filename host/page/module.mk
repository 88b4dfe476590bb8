# host/page/module.mk - the page, build/page/page.html: one file that opens a trace in a browser.

PAGE       := $(BUILD)/page/page.html
PAGE_PARTS := $(wildcard host/page/*.js) $(addprefix host/page/,page.css page.html.in join.py)

.PHONY: page
## page: the page that opens a trace in a browser, build/page/page.html (make deps-page first)
page: $(PAGE)

$(PAGE): $(PAGE_PARTS) $(WASM)
	@mkdir -p $(@D)
	@echo "  PAGE     $@"
	@python3 host/page/join.py host/page $(WASM) $@
