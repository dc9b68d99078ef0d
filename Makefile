# The usual commands; `make` without a target lists those in the order of this file, `make list` all.

# rustup puts cargo there; not every shell has it on its PATH.
export PATH := $(PATH):$(or $(CARGO_HOME),$(HOME)/.cargo)/bin

target := $(or $(CARGO_TARGET_DIR),target)
parcrypt := $(target)/release/parcrypt
parlab := $(target)/release/parlab
# Features of both commands. The first build is the fastest one: without Rabin-Williams (it builds AWS-LC) and MPI. `make full` and `make mpi` build more, and later builds keep that.
kept := $(target)/features
features = --package parcrypt --package parlab \
    $(shell cat $(kept) 2>/dev/null || echo --no-default-features --features parcrypt/openmp,parcrypt/rayon)
go_module := $(CURDIR)/bindings/go
peers := candidates/peers-kzg candidates/peers-crypto candidates/peers-lab

.DEFAULT_GOAL := help
.PHONY: help list bench full parlab go wheels wasm node clients peers peers-wasm peers-lab cryptopp riscv lean mpi ranks test test-all fuzz mutants proofs differential corpora lint results docs setup doctor install \
    uninstall clean

help:
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

bench: ## Say which runtime is fastest here: build `parcrypt` and `parlab`, and run `bench`; ARGS="--for 60s" passes arguments on.
	@scripts/setup bench
	cargo build --release $(features)
	$(parcrypt) bench $(ARGS)
	@[ -e $(kept) ] || echo 'More to measure: make full (signatures), make riscv, make mpi.'

test: ## Run the tests: about 9 minutes on two cores, from nothing.
	@scripts/test

full: ## Build the whole commands, also signatures (AWS-LC).
	@scripts/setup bench
	@mkdir -p $(target) && case "$$(cat $(kept) 2>/dev/null)" in *mpi*) ;; *) echo >$(kept) ;; esac
	cargo build --release --package parcrypt --package parlab $$(cat $(kept))

mpi: # Build the whole command with MPI, for KZG over ranks.
	@scripts/setup bench mpi
	scripts/mpi cargo build --release --package parcrypt --package parlab && echo --features parcrypt/mpi >$(kept)

parlab: ## Install `parlab`, which compares programs, without kernels, below PREFIX (~/.local).
	@scripts/setup parlab
	PREFIX="$${PREFIX:-$$HOME/.local}" scripts/install parlab

# Go's cache does not see a library that has changed, but the files of a package: so each includes the sum of its
# library.
go: ## Build the static libraries for the Go module of bindings/go.
	@scripts/setup bench
	@echo 'Building both C libraries: about 2 minutes on two cores, from nothing.'
	PREFIX="$(go_module)/native" scripts/install libraries
	@cd $(go_module) && for of in parcrypt:batch parcrypt_ckzg:bindings/go; do \
	    sum=$$(cksum <native/lib/lib$${of%:*}.a) && \
	    echo "static const char $${of%:*}_library[] __attribute__((used)) = \"$$sum\";" >$${of#*:}/library.h || exit; \
	    done
	@echo 'Next, in the go.mod of the program:' && echo 'replace github.com/ethereum/c-kzg-4844/v2 => $(go_module)'

# maturin builds with the workspace of bindings/, and the release profile.
$(target)/maturin/bin/maturin:
	@python3 -m venv $(target)/maturin.new
	@$(target)/maturin.new/bin/python -m pip install --quiet --disable-pip-version-check --target $(target)/maturin maturin==1.16.0
	@rm -rf $(target)/maturin.new

# Zig compiles and links for other systems, for scripts/test-target and scripts/release. An environment stays where it is made.
$(target)/zig/bin/cargo-zigbuild:
	@python3 -m venv $(target)/zig
	@$(target)/zig/bin/python -m pip install --quiet --disable-pip-version-check ziglang==0.17.1 cargo-zigbuild==0.24.1

wheels: $(target)/maturin/bin/maturin ## Build the Python package parcrypt-ckzg into target/wheels.
	@scripts/setup bench
	@echo 'Building a wheel: about 2 minutes on two cores, from nothing.'
	@rm -f $(target)/wheels/parcrypt*.whl
	$(target)/maturin/bin/maturin build --quiet --release --out $(target)/wheels --manifest-path bindings/python/ckzg/Cargo.toml \
	    --target-dir $(abspath $(target))
	@echo "Next, in the program's environment:" && echo "pip uninstall --yes ckzg && pip install" $(abspath $(target))/wheels/parcrypt*.whl

wasm: ## Build the npm package in bindings/wasm, with the API of kzg-wasm.
	@scripts/setup bench wasm
	@echo 'Building a WebAssembly module: about a minute on two cores, from nothing.'
	@[ -d "$$(rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown" ] || rustup target add wasm32-unknown-unknown
	CC_wasm32_unknown_unknown=clang-19 AR_wasm32_unknown_unknown=llvm-ar-19 RUSTFLAGS="$(RUSTFLAGS) -Ctarget-feature=+simd128" \
	    cargo build --release --target wasm32-unknown-unknown --package parcrypt-wasm
	node bindings/wasm/embed.mjs $(target)/wasm32-unknown-unknown/release/parcrypt_wasm.wasm
	@echo "Next, in the program's folder:" && echo 'npm install $(CURDIR)/bindings/wasm'

# Its name in the package is what Node.js calls this machine.
node: ## Build the npm package in bindings/node, with the API of c-kzg.
	@scripts/setup bench node
	@echo 'Building a module for Node.js: about 2 minutes on two cores, from nothing.'
	cargo build --release --manifest-path bindings/node/Cargo.toml --target-dir $(target)
	@for file in $(target)/release/libparcrypt_node.so $(target)/release/libparcrypt_node.dylib; do [ ! -e $$file ] || \
	    cp $$file bindings/node/lib/$$(node -p 'process.platform + "-" + process.arch').node; done
	@echo "Next, in the program's folder:" && echo 'npm install c-kzg@file:$(CURDIR)/bindings/node'

peers-wasm: wasm # Build the candidates of plans/wasm-peers.toml.
	npm install --silent --no-audit --no-fund --no-package-lock --prefix candidates/kzg-wasm

# One program, with the original crates and with one entry of [patch.crates-io] more.
clients: # Build the candidates of plans/clients.toml and plans/precompiles.toml.
	@scripts/setup bench
	cargo build --release --manifest-path candidates/clients-kzg/Cargo.toml --target-dir candidates/clients-kzg/target
	cargo build --release --manifest-path candidates/clients-kzg/parcrypt/Cargo.toml \
	    --target-dir candidates/clients-kzg/parcrypt/target
	cargo build --release --manifest-path bindings/rust-revm/Cargo.toml --example precompile \
	    --target-dir bindings/target

riscv: ## Build the RISC-V kernels, which run under QEMU.
	@scripts/setup riscv
	@$(MAKE) --no-print-directory -s -C riscv

# A candidate that does not build loses its own entries only.
peers: ## Build other libraries to compare with.
	@scripts/setup bench peers
	cargo build --release --manifest-path candidates/peers-kzg/Cargo.toml --target-dir candidates/peers-kzg/target \
	    || echo "SKIP peers-kzg it does not build"
	cargo build --release --manifest-path candidates/peers-crypto/Cargo.toml --target-dir candidates/peers-crypto/target \
	    --features "$$(candidates/peers-crypto/features)" || echo "SKIP peers-crypto it does not build"
	$(MAKE) --no-print-directory -s -C candidates/peers-cryptopp || echo "SKIP peers-cryptopp it does not build"

# hyperfine 2 names a newer Rust than it needs.
peers-lab: # Build hyperfine and critcmp for scripts/audit-peers, which builds the rest.
	@scripts/setup bench
	for tool in hyperfine@2.0.0 critcmp@0.1.8; do \
	    cargo install $$tool --locked --ignore-rust-version --root candidates/peers-lab/target/tools --target-dir candidates/peers-lab/target/tools/build \
	        || echo "SKIP $$tool it does not build"; \
	done

cryptopp: # Get Crypto++ as source, build it without and with OpenMP (some minutes), then its candidates.
	@scripts/setup peers
	-@scripts/get-debian cryptopp candidates/peers-cryptopp/build/cryptopp
	$(MAKE) --no-print-directory -s -C candidates/peers-cryptopp

lean: # Build the command without a runtime, and with libomp, for plans/runtime-tax.toml.
	@scripts/setup bench
	cargo build --release --package parcrypt --no-default-features --target-dir target/lean
	-PARCRYPT_OPENMP=libomp cargo build --release --package parcrypt --target-dir target/libomp

ranks: # Build the sum over MPI ranks in each language, and get Julia, for plans/parallel-sum.toml.
	@scripts/setup mpi
	-@command -v julia >/dev/null || scripts/get-debian julia candidates/parallel-sum/build/julia
	$(MAKE) --no-print-directory -s -C candidates/parallel-sum

test-all: ## Run all tests, also the long ones; CONTRIBUTING.md says which they are.
	@scripts/test all

fuzz: # Fuzz each target for 10 seconds, or SECONDS_EACH; fuzz/run TARGET fuzzes only one.
	@fuzz/run

mutants: # Prove that fuzz targets and tests find planted mistakes; takes about half an hour.
	@fuzz/find-mutants

differential: # Compare N (1000) inputs of SEED (1), from FIRST (0), with c-kzg and rust_eth_kzg, on each row of this machine.
	@scripts/setup bench
	@cargo run --release --quiet --package parcrypt-oracles --example differential -- "$(or $(SEED),1)" "$(or $(N),1000)" "$(or $(FIRST),0)"

proofs: # Prove what the vector code of libparcrypt.a computes, which is built first; ARGS="--changes 3" changes it, too.
	@scripts/setup bench
	cargo build --release --quiet --package parcrypt-capi
	@cargo test --release --quiet --locked --manifest-path proofs/Cargo.toml --target-dir $(target)/proofs >&2
	cargo run --release --quiet --locked --manifest-path proofs/Cargo.toml --target-dir $(target)/proofs -- $(target)/release/libparcrypt.a $(ARGS)

corpora: # Run the test vectors of others, and list them: corpus, package, cases, and what ran them.
	@scripts/corpora

lint: ## Run the linters.
	@scripts/setup lint
	.ci/lint

results: # Write the pages of docs/results, and the generated parts of other documents, from the records.
	cargo build --release $(features)
	PARLAB=$(parlab) scripts/results

docs: ## Build the book of docs/ into target/book, with mdBook.
	@command -v mdbook >/dev/null || { echo "SKIP docs mdBook is not installed: cargo install mdbook --locked" >&2; exit 2; }
	mdbook build docs

setup: # Install what everything here needs.
	@scripts/setup bench peers mpi riscv test long-tests lint

doctor: # Say what is there and what is missing; change nothing.
	@scripts/setup doctor
	@if $(parcrypt) doctor --help >/dev/null 2>&1; then $(parcrypt) doctor; fi

# PREFIX (/usr/local), LIBDIR, INCLUDEDIR, BINDIR, MANDIR and DESTDIR, as in scripts/install.
export PREFIX LIBDIR INCLUDEDIR BINDIR MANDIR DESTDIR

install: ## Install the commands and the C libraries below PREFIX (/usr/local).
	@scripts/install all

list: ## List all commands.
	@sed -n 's/^\([a-z-]*\):.*##* \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

uninstall: # Remove what `make install` and `make parlab` installed, with the same PREFIX.
	@scripts/install remove

clean: # Remove what was built; results of benchmarks stay.
	cargo clean
	rm -rf fuzz/target $(peers:=/target) bindings/target bindings/rust-revm/target candidates/clients-kzg/target candidates/clients-kzg/parcrypt/target
	rm -rf $(addprefix bindings/go/,native batch/library.h bindings/go/library.h)
	for folder in candidates/peers-cryptopp candidates/parallel-sum riscv; do $(MAKE) -C $$folder clean; done
