# The usual ways in; `make` alone lists them.

# rustup puts cargo there; not every shell has it on its PATH.
export PATH := $(PATH):$(or $(CARGO_HOME),$(HOME)/.cargo)/bin

parcrypt := $(or $(CARGO_TARGET_DIR),target)/release/parcrypt

.DEFAULT_GOAL := help
.PHONY: help bench peers cryptopp lean ranks test fuzz mutants lint docs setup doctor clean

help: ## Show this list.
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

bench: ## Build and run `parcrypt bench`; ARGS="--rounds 8" passes arguments on.
	@scripts/setup bench
	scripts/mpi cargo build --release --package parcrypt
	-@$(MAKE) --no-print-directory -s -C riscv
	$(parcrypt) bench $(ARGS)

# One that does not build takes its own rows away, and no others.
peers: ## Build libraries of others for `make bench ARGS=plans/kzg-peers.toml`, and for scrypt, mac-peers and rw-peers.
	@scripts/setup bench
	cargo build --release --manifest-path candidates/peers-kzg/Cargo.toml --target-dir candidates/peers-kzg/target \
	    || echo "SKIP peers-kzg it does not build"
	cargo build --release --manifest-path candidates/peers-crypto/Cargo.toml --target-dir candidates/peers-crypto/target \
	    --features "$$(candidates/peers-crypto/features)" || echo "SKIP peers-crypto it does not build"
	$(MAKE) --no-print-directory -s -C candidates/peers-cryptopp || echo "SKIP peers-cryptopp it does not build"

cryptopp: ## Get Crypto++ as source, build it without and with OpenMP (some minutes), then its candidates.
	@scripts/setup bench
	-@scripts/get-cryptopp
	$(MAKE) --no-print-directory -s -C candidates/peers-cryptopp

lean: ## Build the command without a runtime, and with libomp, for `make bench ARGS=plans/runtime-tax.toml`.
	@scripts/setup bench
	cargo build --release --package parcrypt --no-default-features --target-dir target/lean
	-PARCRYPT_OPENMP=libomp cargo build --release --package parcrypt --target-dir target/libomp

ranks: ## Build the sum over MPI ranks, and get Julia, for `make bench ARGS=plans/parallel-sum.toml`.
	@scripts/setup bench
	-@scripts/get-julia
	$(MAKE) --no-print-directory -s -C candidates/parallel-sum

test: ## Run all tests.
	@scripts/setup test
	scripts/mpi cargo test $(CARGO_FLAGS) --workspace --no-fail-fast
	@for check in scripts/test-*; do echo "$$check"; "$$check" || exit; done

fuzz: ## Fuzz each target for 10 seconds, or SECONDS_EACH; fuzz/run TARGET takes one alone.
	@fuzz/run

mutants: ## Prove that the fuzz targets find planted mistakes; takes about half an hour.
	@fuzz/find-mutants

lint: ## Run the linters.
	@scripts/setup lint
	.ci/lint

docs: ## Build the book of docs/ into target/book, with mdBook.
	@command -v mdbook >/dev/null || { echo "SKIP docs mdBook is not installed: cargo install mdbook --locked" >&2; exit 2; }
	mdbook build docs

setup: ## Install what `make bench` and `make test` need.
	@scripts/setup bench
	@scripts/setup test

doctor: ## Say what is there and what is missing; change nothing.
	@scripts/setup doctor
	@if $(parcrypt) doctor --help >/dev/null 2>&1; then $(parcrypt) doctor; fi

# PREFIX (/usr/local), LIBDIR, INCLUDEDIR, BINDIR, MANDIR and DESTDIR, as scripts/install has them.
export PREFIX LIBDIR INCLUDEDIR BINDIR MANDIR DESTDIR

install: ## Install the command and the C libraries; PREFIX=/usr/local says where.
	@scripts/install all

uninstall: ## Remove what `make install` installed, with the same PREFIX.
	@scripts/install remove

clean: ## Remove what was built; results of benchmarks stay.
	cargo clean
	cargo clean --manifest-path fuzz/Cargo.toml --target-dir fuzz/target
	cargo clean --manifest-path candidates/peers-kzg/Cargo.toml --target-dir candidates/peers-kzg/target
	cargo clean --manifest-path candidates/peers-crypto/Cargo.toml --target-dir candidates/peers-crypto/target
	$(MAKE) -C candidates/peers-cryptopp clean
	$(MAKE) -C riscv clean
	$(MAKE) -C candidates/parallel-sum clean
