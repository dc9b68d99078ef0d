//! All calls of MPI, behind a safe interface: a request never outlives the call of the function that began it, and a
//! call that fails ends the process, so that no request remains.
#![allow(unsafe_code, reason = "calls MPI's C bindings")]

use std::ffi::{CStr, c_char, c_void};
use std::ptr;
use std::time::Instant;

use mpi_sys as ffi;
use parallel_sum::{LINE, MESSAGE, Memory, Patience, Ranks, STATUS_ERROR, Variant, Wait, Words, processors};
use shared_window::SharedWindow;

const TAG: i32 = 0;

/// The ranks of `MPI_COMM_WORLD`.
pub(crate) struct Bindings {
    world: ffi::MPI_Comm,
    rank: i32,
    ranks: i32,
    /// The ranks of this rank's node.
    node: ffi::MPI_Comm,
    /// Whether they have less than one processor each.
    crowded: bool,
    /// A line of 64 bytes: the unit of the scatter.
    line: ffi::MPI_Datatype,
    /// Requests in flight; empty except inside a function.
    requests: Vec<ffi::MPI_Request>,
    /// Words that are received during a function.
    words: Vec<u64>,
}

/// Ends all ranks if a call of MPI failed.
fn check(call: &str, code: i32) {
    if code != ffi::MPI_SUCCESS as i32 {
        fail(call, code);
    }
}

fn fail(call: &str, code: i32) -> ! {
    let mut text = [0 as c_char; ffi::MPI_MAX_ERROR_STRING as usize + 1];
    let mut length = 0;
    // SAFETY: the text has room for the longest, and for a zero behind it.
    let text = unsafe {
        ffi::MPI_Error_string(code, text.as_mut_ptr(), &mut length);
        CStr::from_ptr(text.as_ptr())
    };
    eprintln!("error: {call}: error {code}: {}", text.to_string_lossy());
    // SAFETY: MPI is initialised wherever it can fail. The other ranks may be waiting for this one.
    unsafe { ffi::MPI_Abort(ffi::RSMPI_COMM_WORLD, STATUS_ERROR.into()) };
    std::process::exit(STATUS_ERROR.into());
}

/// Calls a function of MPI, and ends all ranks if it fails.
macro_rules! call {
    ($name:ident($($argument:expr),* $(,)?)) => {
        check(stringify!($name), ffi::$name($($argument),*))
    };
}

/// Returns a count of MPI; a count has at most `MESSAGE` bytes or `MAX_BYTES` / 64 lines.
fn count(n: usize) -> i32 {
    debug_assert!(i32::try_from(n).is_ok());
    n as i32
}

/// Returns the messages of `n` bytes, as ranges: at least one.
fn pieces(n: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    (0..n.div_ceil(MESSAGE).max(1)).map(move |i| i * MESSAGE..n.min((i + 1) * MESSAGE))
}

impl Bindings {
    /// Initialises MPI, and returns the nanoseconds that it took.
    pub(crate) fn start() -> (Self, u64) {
        let begun = Instant::now();
        // SAFETY: MPI takes null pointers for the arguments of the program, and nothing of it was called before.
        unsafe { call!(MPI_Init(ptr::null_mut(), ptr::null_mut())) };
        let start_ns = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);

        let (mut rank, mut ranks, mut on_node) = (0, 0, 0);
        // SAFETY: all pointers are those of variables, and what is made is used as what it is.
        let mut this = unsafe {
            let world = ffi::RSMPI_COMM_WORLD;
            let (mut node, mut line) = (ffi::RSMPI_COMM_NULL, ffi::RSMPI_DATATYPE_NULL);
            call!(MPI_Comm_set_errhandler(world, ffi::RSMPI_ERRORS_RETURN));
            call!(MPI_Comm_rank(world, &mut rank));
            call!(MPI_Comm_size(world, &mut ranks));
            call!(MPI_Type_contiguous(count(LINE), ffi::RSMPI_UINT8_T, &mut line));
            call!(MPI_Type_commit(&mut line));
            let shared = ffi::RSMPI_COMM_TYPE_SHARED;
            call!(MPI_Comm_split_type(world, shared, rank, ffi::RSMPI_INFO_NULL, &mut node));
            call!(MPI_Comm_set_errhandler(node, ffi::RSMPI_ERRORS_RETURN));
            call!(MPI_Comm_size(node, &mut on_node));
            let (requests, words) = (Vec::new(), Vec::new());
            Bindings { world, rank, ranks, node, crowded: true, line, requests, words }
        };
        let (own, mut all) = (processors(), [0u64; 16]);
        let (from, to, node) = (own.as_ptr().cast(), all.as_mut_ptr().cast(), this.node);
        // SAFETY: both arrays have this number of words, and `complete` follows.
        this.post(|request| unsafe {
            let word = ffi::RSMPI_UINT64_T;
            call!(MPI_Iallreduce(from, to, count(own.len()), word, ffi::RSMPI_BOR, node, request));
        });
        this.complete(Patience::Short);
        this.crowded = on_node.cast_unsigned() > all.iter().map(|word| word.count_ones()).sum();
        (this, start_ns)
    }

    /// Finalises MPI; every rank calls it.
    pub(crate) fn finish(mut self) {
        // SAFETY: both were made by `start` and are not used any more.
        unsafe {
            call!(MPI_Type_free(&mut self.line));
            call!(MPI_Comm_free(&mut self.node));
            call!(MPI_Finalize());
        }
    }

    /// Begins a request. Its operands must stay until `complete`, which follows in the same function.
    fn post(&mut self, begin: impl FnOnce(*mut ffi::MPI_Request)) {
        // SAFETY: a static of the library that is never written.
        let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
        begin(&mut request);
        self.requests.push(request);
    }

    /// Completes all requests that were begun.
    fn complete(&mut self, patience: Patience) {
        let mut wait = Wait::new(self.crowded, patience);
        // A test of one request makes all of them progress.
        for request in &mut self.requests {
            loop {
                let mut done = 0;
                // SAFETY: the request is under way, and what it needs is still there.
                unsafe { call!(MPI_Test(request, &mut done, ffi::RSMPI_STATUS_IGNORE)) };
                if done != 0 {
                    break;
                }
                wait.pause();
            }
        }
        self.requests.clear();
    }

    fn post_send(&mut self, to: usize, data: &[u8]) {
        let world = self.world;
        for range in pieces(data.len()) {
            let piece = &data[range];
            let (from, n) = (piece.as_ptr().cast(), count(piece.len()));
            // SAFETY: the piece has this number of bytes, and callers complete the request before it ends.
            self.post(|request| unsafe {
                call!(MPI_Isend(from, n, ffi::RSMPI_UINT8_T, count(to), TAG, world, request));
            });
        }
    }
}

impl Ranks for Bindings {
    const NAME: &'static str = "sum-mpi-sys";
    const MISTAKES: &'static [Variant] = &[];

    fn rank(&self) -> usize {
        self.rank as usize
    }

    fn ranks(&self) -> usize {
        self.ranks as usize
    }

    fn library(&self) -> String {
        let mut text = [0 as c_char; ffi::MPI_MAX_LIBRARY_VERSION_STRING as usize + 1];
        let mut length = 0;
        // SAFETY: the text has room for the longest, and for a zero behind it.
        let text = unsafe {
            call!(MPI_Get_library_version(text.as_mut_ptr(), &mut length));
            CStr::from_ptr(text.as_ptr())
        };
        parallel_sum::library_version(&text.to_string_lossy())
    }

    fn tell(&mut self, words: &mut Words) {
        let patience = if self.rank == 0 { Patience::Short } else { Patience::Long };
        let (data, n, world) = (words.as_mut_ptr().cast(), count(words.len()), self.world);
        // SAFETY: there is this number of words, and `complete` follows.
        self.post(|request| unsafe { call!(MPI_Ibcast(data, n, ffi::RSMPI_UINT64_T, 0, world, request)) });
        self.complete(patience);
    }

    fn meet(&mut self) {
        let world = self.world;
        // SAFETY: it needs nothing but the communicator.
        self.post(|request| unsafe { call!(MPI_Ibarrier(world, request)) });
        self.complete(Patience::Short);
    }

    fn begin(&mut self) {
        // A broadcast of no bytes would not wait.
        let mut nothing = 0u8;
        let (data, world): (*mut u8, _) = (&mut nothing, self.world);
        // SAFETY: there is one byte, and `complete` follows.
        self.post(|request| unsafe {
            call!(MPI_Ibcast(data.cast(), 1, ffi::RSMPI_UINT8_T, 0, world, request));
        });
        self.complete(Patience::Short);
    }

    fn greatest(&mut self, mine: u64) -> u64 {
        let mut all = 0u64;
        let (from, to, world): (*const u64, *mut u64, _) = (&mine, &mut all, self.world);
        // SAFETY: both are one word, and `complete` follows.
        self.post(|request| unsafe {
            let (word, max) = (ffi::RSMPI_UINT64_T, ffi::RSMPI_MAX);
            call!(MPI_Iallreduce(from.cast(), to.cast(), 1, word, max, world, request));
        });
        self.complete(Patience::Short);
        all
    }

    fn reduce(&mut self, mine: u64) -> u64 {
        let mut all = 0u64;
        let (from, to, world): (*const u64, *mut u64, _) = (&mine, &mut all, self.world);
        // SAFETY: both are one word, and `complete` follows.
        self.post(|request| unsafe {
            let (word, sum) = (ffi::RSMPI_UINT64_T, ffi::RSMPI_SUM);
            call!(MPI_Ireduce(from.cast(), to.cast(), 1, word, sum, 0, world, request));
        });
        self.complete(Patience::Short);
        all
    }

    fn send<'a>(&mut self, _: Variant, messages: impl Iterator<Item = (usize, &'a [u8])>) {
        for (to, data) in messages {
            self.post_send(to, data);
        }
        self.complete(Patience::Short);
    }

    fn receive(&mut self, from: usize, data: &mut [u8]) {
        let world = self.world;
        for range in pieces(data.len()) {
            let piece = &mut data[range];
            let (to, n) = (piece.as_mut_ptr().cast(), count(piece.len()));
            // SAFETY: the piece has this number of bytes, no other overlaps it, and `complete` follows.
            self.post(|request| unsafe {
                call!(MPI_Irecv(to, n, ffi::RSMPI_UINT8_T, count(from), TAG, world, request));
            });
        }
        self.complete(Patience::Short);
    }

    fn send_word(&mut self, to: usize, word: u64) {
        let (from, world): (*const u64, _) = (&word, self.world);
        // SAFETY: it is one word, and `complete` follows.
        self.post(|request| unsafe {
            call!(MPI_Isend(from.cast(), 1, ffi::RSMPI_UINT64_T, count(to), TAG, world, request));
        });
        self.complete(Patience::Short);
    }

    fn receive_sum(&mut self, from: impl Iterator<Item = usize> + Clone) -> u64 {
        let world = self.world;
        let mut words = std::mem::take(&mut self.words);
        words.clear();
        words.resize(from.clone().count(), 0);
        for (word, from) in words.iter_mut().zip(from) {
            let to: *mut u64 = word;
            // SAFETY: it is one word, the words stay where they are, and `complete` follows.
            self.post(|request| unsafe {
                call!(MPI_Irecv(to.cast(), 1, ffi::RSMPI_UINT64_T, count(from), TAG, world, request));
            });
        }
        self.complete(Patience::Short);
        let sum = words.iter().sum();
        self.words = words;
        sum
    }

    fn scatter(&mut self, data: &[u8], counts: &[i32], places: &[i32]) {
        let end = counts.iter().zip(places).map(|(n, place)| (*n as usize + *place as usize) * LINE).max();
        assert!(counts.len() == self.ranks() && places.len() == counts.len() && end <= Some(data.len()));
        let mut nothing = 0u8;
        let to: *mut c_void = (&raw mut nothing).cast();
        let (from, counts, places) = (data.as_ptr().cast(), counts.as_ptr(), places.as_ptr());
        let (line, world) = (self.line, self.world);
        // SAFETY: counts and places are one for each rank and inside the data, as was just seen, nothing is received,
        // and `complete` follows.
        self.post(|request| unsafe {
            call!(MPI_Iscatterv(from, counts, places, line, to, 0, line, 0, world, request));
        });
        self.complete(Patience::Short);
    }

    fn receive_scattered(&mut self, data: &mut [u8]) {
        let (to, lines) = (data.as_mut_ptr().cast(), count(data.len() / LINE));
        let (line, world) = (self.line, self.world);
        // SAFETY: the data has this number of lines, what is sent counts only on rank 0, and `complete` follows.
        self.post(|request| unsafe {
            let none = ptr::null();
            call!(MPI_Iscatterv(ptr::null(), none, none, line, to, lines, line, 0, world, request));
        });
        self.complete(Patience::Short);
    }

    fn window(&mut self, bytes: usize) -> Box<dyn Memory> {
        // SAFETY: MPI is initialised, and the ranks of `node` were found because they can share memory.
        match unsafe { SharedWindow::new(self.node, bytes) } {
            Ok(window) => Box::new(window),
            Err(code) => fail("MPI_Win_allocate_shared", code),
        }
    }
}
