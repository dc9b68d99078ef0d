//! MPI: messages that own their bytes until they have completed.
//!
//! The crate `mpi` starts and ends MPI and makes the communicators. Sending and receiving go through its bindings,
//! because a request must keep its bytes until the message ends, which is not a lexical scope, and because every
//! return code is checked: a lost connection is an error and does not end the process.
#![allow(unsafe_code, reason = "MPI is a C library")]

use std::collections::VecDeque;
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::time::Duration;

use mpi::Threading;
use mpi::environment::Universe;
use mpi::ffi;
use mpi::raw::AsRaw;
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

use crate::error::Error;
use crate::launcher::Launched;

/// Maximum bytes of a message. MPI counts them in an `int`.
pub(crate) const MAX_MESSAGE: usize = 1 << 30;

/// The ranks, and the messages in flight between them.
pub(crate) struct Net {
    /// All ranks. Without [`Net::finish`] communicators and MPI stay as they are: all ranks must take part in freeing
    /// them.
    world: ManuallyDrop<SimpleCommunicator>,
    /// The ranks of this machine.
    node: ManuallyDrop<SimpleCommunicator>,
    host: String,
    outgoing: Vec<Pending>,
    /// In the order in which MPI has matched them, which for each sender is the order of sending.
    incoming: VecDeque<Incoming>,
    universe: ManuallyDrop<Universe>,
    /// Only the thread that started MPI may call it.
    _thread: PhantomData<*const ()>,
}

/// A received message.
pub(crate) struct Message {
    pub(crate) from: usize,
    pub(crate) tag: i32,
    pub(crate) bytes: Vec<u8>,
}

struct Incoming {
    from: usize,
    tag: i32,
    pending: Pending,
}

/// A message in flight, with its bytes. `None` after its completion.
struct Pending {
    bytes: Vec<u8>,
    request: Option<ffi::MPI_Request>,
}

impl Pending {
    /// Returns whether the message has completed; calls `MPI_Test` first.
    fn is_done(&mut self) -> Result<bool, Error> {
        let Some(mut request) = self.request else { return Ok(true) };
        let mut done = 0;
        // SAFETY: the request is one that MPI gave for `self.bytes` and that has not ended.
        let code = unsafe { ffi::MPI_Test(&mut request, &mut done, ffi::RSMPI_STATUS_IGNORE) };
        check("MPI_Test", code)?;
        self.request = if done == 0 { Some(request) } else { None };
        Ok(done != 0)
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if self.request.is_some() {
            // MPI may still read or write these bytes; such a message is dropped only after a failed run.
            std::mem::forget(std::mem::take(&mut self.bytes));
        }
    }
}

impl Net {
    /// A time longer than that between the first and the last rank that leave a barrier.
    const APART: Duration = Duration::from_millis(200);

    /// Starts MPI.
    pub(crate) fn start() -> Result<Self, Error> {
        let unavailable = |why| Error::Unavailable { why };
        let (universe, threading) = mpi::initialize_with_threading(Threading::Funneled)
            .ok_or_else(|| unavailable("it was started before in this process"))?;
        if threading < Threading::Funneled {
            return Err(unavailable(
                "it allows no thread beside the one that calls it (MPI_THREAD_FUNNELED)",
            ));
        }
        let world = universe.world().duplicate();
        let node = world.split_shared(world.rank());
        for comm in [world.as_raw(), node.as_raw()] {
            // SAFETY: both are communicators of this process; the handler is MPI's own.
            let code = unsafe { ffi::MPI_Comm_set_errhandler(comm, ffi::RSMPI_ERRORS_RETURN) };
            check("MPI_Comm_set_errhandler", code)?;
        }
        // A process that is alone in its MPI, but was started as one of several.
        if world.size() == 1
            && let Some(Launched { variable, processes: expected, .. }) = Launched::from_environment()
        {
            let version = mpi::environment::library_version().unwrap_or_default();
            let library = version.lines().next().unwrap_or_default();
            let library = library.trim_matches(['\0', ' ']).replace('\t', " ");
            return Err(Error::WrongLauncher { variable, expected, library });
        }
        let host = mpi::environment::processor_name().unwrap_or_default();
        Ok(Net {
            world: ManuallyDrop::new(world),
            node: ManuallyDrop::new(node),
            host: host.trim_end_matches('\0').to_owned(),
            outgoing: Vec::new(),
            incoming: VecDeque::new(),
            universe: ManuallyDrop::new(universe),
            _thread: PhantomData,
        })
    }

    /// Ends MPI; all ranks have to call it.
    pub(crate) fn finish(self) {
        // Until all ranks are here, one of them may wait for a message that makes progress only through calls of MPI on
        // this side.
        // An error means that there is no rank to wait for. SAFETY: the communicator lives.
        let _ = check("MPI_Barrier", unsafe { ffi::MPI_Barrier(self.world.as_raw()) });
        if self.node_size() < self.size() {
            // MPICH 4.0 over UCX and TCP: in MPI_Finalize a rank asks each other one whether its messages have
            // arrived, answers their questions until it has all of its own answers, and then stops answering. A rank
            // that is still in the barrier then would never get its answer.
            std::thread::sleep(Self::APART);
        }
        drop(ManuallyDrop::into_inner(self.node));
        drop(ManuallyDrop::into_inner(self.world));
        drop(ManuallyDrop::into_inner(self.universe));
    }

    /// Returns the rank of this process.
    pub(crate) fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    /// Returns the number of ranks.
    pub(crate) fn size(&self) -> usize {
        self.world.size() as usize
    }

    /// Returns the name of the machine.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// Returns the number of ranks on this machine.
    pub(crate) fn node_size(&self) -> usize {
        self.node.size() as usize
    }

    /// Returns the values of all ranks, in their order. All ranks have to call it.
    pub(crate) fn all_gather<const N: usize>(&self, own: &[u8; N]) -> Result<Vec<[u8; N]>, Error> {
        let mut all = vec![[0u8; N]; self.size()];
        // SAFETY: `N` bytes are read, and there is room for as many of each rank.
        let code = unsafe {
            ffi::MPI_Allgather(
                own.as_ptr().cast::<c_void>(),
                N as c_int,
                ffi::RSMPI_UINT8_T,
                all.as_mut_ptr().cast::<c_void>(),
                N as c_int,
                ffi::RSMPI_UINT8_T,
                self.world.as_raw(),
            )
        };
        check("MPI_Allgather", code).map(|()| all)
    }

    /// Begins to send a message; [`Net::poll`] makes it progress.
    pub(crate) fn send(&mut self, to: usize, tag: i32, bytes: Vec<u8>) -> Result<(), Error> {
        let count = c_int::try_from(bytes.len()).ok().filter(|_| bytes.len() <= MAX_MESSAGE);
        let count = count.ok_or(Error::TooLong { bytes: bytes.len() })?;
        // SAFETY: no request yet; MPI writes one before it is read.
        let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
        // SAFETY: `count` bytes are there, and stay where they are until the request has ended: `Pending` keeps them.
        let code = unsafe {
            ffi::MPI_Isend(
                bytes.as_ptr().cast::<c_void>(),
                count,
                ffi::RSMPI_UINT8_T,
                to as c_int,
                tag,
                self.world.as_raw(),
                &mut request,
            )
        };
        check("MPI_Isend", code)?;
        let mut pending = Pending { bytes, request: Some(request) };
        if !pending.is_done()? {
            self.outgoing.push(pending);
        }
        Ok(())
    }

    /// Returns whether messages are still being sent.
    pub(crate) fn is_sending(&self) -> bool {
        !self.outgoing.is_empty()
    }

    /// Makes messages progress, and returns one that has arrived; messages of one sender come in their order.
    pub(crate) fn poll(&mut self) -> Result<Option<Message>, Error> {
        let mut failed = None;
        self.outgoing.retain_mut(|pending| match pending.is_done() {
            Ok(done) => !done,
            Err(error) => {
                failed = Some(error);
                true
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        while let Some(incoming) = self.receive()? {
            self.incoming.push_back(incoming);
        }
        for at in 0..self.incoming.len() {
            let from = self.incoming[at].from;
            let is_first = !self.incoming.iter().take(at).any(|earlier| earlier.from == from);
            if is_first && self.incoming[at].pending.is_done()? {
                let Some(mut done) = self.incoming.remove(at) else { break };
                let bytes = std::mem::take(&mut done.pending.bytes);
                return Ok(Some(Message { from, tag: done.tag, bytes }));
            }
        }
        Ok(None)
    }

    /// Begins to receive an announced message.
    fn receive(&self) -> Result<Option<Incoming>, Error> {
        let (mut found, mut len) = (0, 0);
        // SAFETY: constants of the library; a status is plain numbers, which MPI fills in.
        let (mut message, mut request, mut status) = unsafe {
            (ffi::RSMPI_MESSAGE_NULL, ffi::RSMPI_REQUEST_NULL, std::mem::zeroed::<ffi::MPI_Status>())
        };
        // SAFETY: all pointers are to values that live through the call.
        let code = unsafe {
            ffi::MPI_Improbe(
                ffi::RSMPI_ANY_SOURCE,
                ffi::RSMPI_ANY_TAG,
                self.world.as_raw(),
                &mut found,
                &mut message,
                &mut status,
            )
        };
        check("MPI_Improbe", code)?;
        if found == 0 {
            return Ok(None);
        }
        // SAFETY: the status is that of the message just found.
        check("MPI_Get_count", unsafe { ffi::MPI_Get_count(&status, ffi::RSMPI_UINT8_T, &mut len) })?;
        let from = status.MPI_SOURCE as usize;
        let len = usize::try_from(len).ok().filter(|len| *len <= MAX_MESSAGE);
        let len =
            len.ok_or(Error::InvalidMessage { rank: from, what: "it is longer than any message may be" })?;
        let mut bytes = vec![0; len];
        // SAFETY: there is room for the `len` bytes of this message, and it stays in its place until the request has
        // ended.
        let code = unsafe {
            ffi::MPI_Imrecv(
                bytes.as_mut_ptr().cast::<c_void>(),
                len as c_int,
                ffi::RSMPI_UINT8_T,
                &mut message,
                &mut request,
            )
        };
        check("MPI_Imrecv", code)?;
        Ok(Some(Incoming { from, tag: status.MPI_TAG, pending: Pending { bytes, request: Some(request) } }))
    }
}

fn check(call: &'static str, code: c_int) -> Result<(), Error> {
    if code == ffi::MPI_SUCCESS as c_int {
        return Ok(());
    }
    let mut text = vec![0u8; ffi::MPI_MAX_ERROR_STRING as usize];
    let mut len = 0;
    // SAFETY: the buffer has the length that MPI asks for.
    unsafe { ffi::MPI_Error_string(code, text.as_mut_ptr().cast(), &mut len) };
    text.truncate(usize::try_from(len).unwrap_or(0));
    let why = String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned();
    Err(Error::Mpi { call, why })
}
