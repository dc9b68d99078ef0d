//! A job over ranks: the thread that schedules batches and exchanges their messages.

use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, TryRecvError};

use parcrypt_cluster::{EncodedJob, NextJob, Session};
use parcrypt_kzg::jobs::Outcome;

use super::{FileJob, Item, Pipeline};
use crate::error::CommandError;
use crate::kzg::engine::Engine;

impl<J: FileJob> Pipeline<'_, J> {
    /// [`Pipeline::work_all`] over ranks, one batch a job.
    pub(super) fn schedule_all(
        &self,
        engine: &mut Engine<'_>,
        session: &mut Session,
        read: Receiver<Vec<Item<J>>>,
        to_writer: Sender<Vec<Item<J>>>,
    ) -> Option<CommandError> {
        // Nothing is sent to the ranks before there is work.
        let mut sent = 0;
        let first = loop {
            match read.recv() {
                Ok(items) if !self.is_over() => {
                    if self.has_work(&items) {
                        break items;
                    }
                    sent += 1;
                    to_writer.send(items).ok()?;
                }
                _ => return None,
            }
        };
        let ready = self.make_ready(engine, &first, session.ranks()).and_then(|()| engine.share(session));
        if let Err(problem) = ready {
            return Some(problem);
        }
        // Batches that wait for the writer are in memory too.
        let most = 2 * session.ranks() + 2;
        let (mut first, sent) = (Some(first), Cell::new(sent));
        let mut next = || {
            if self.is_over() {
                return NextJob::End;
            }
            if sent.get() - self.written.load(Ordering::Relaxed) >= most {
                return NextJob::Later;
            }
            let items = match first.take().map_or_else(|| read.try_recv(), Ok) {
                Ok(items) => items,
                Err(TryRecvError::Empty) => return NextJob::Later,
                Err(TryRecvError::Disconnected) => return NextJob::End,
            };
            let job = self.job_of(&items);
            let job = if job.items.is_empty() { None } else { Some(EncodedJob::from(&job)) };
            match job {
                Some(job) => NextJob::Job(items, job),
                None => NextJob::Forward(items),
            }
        };
        let mut deliver = |items, outcome: Option<Outcome>| {
            sent.set(sent.get() + 1);
            if to_writer.send(self.with_results(items, outcome.unwrap_or_default())).is_err() {
                self.halt.store(true, Ordering::Relaxed);
            }
        };
        // The writer may be far behind: ranks do not wait for rank 0 meanwhile.
        let done = session.run(&*engine.runtime, &engine.settings, &mut next, &mut deliver);
        done.and_then(|()| session.pause()).err().map(CommandError::from)
    }
}
