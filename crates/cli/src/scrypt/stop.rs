//! Ctrl-C, and how far it is.

use std::ops::ControlFlow;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use parcrypt_scrypt::Progress;

use super::{key, password};
use crate::error::INTERRUPTED;

/// How often Ctrl-C or SIGTERM came.
static STOPS: AtomicUsize = AtomicUsize::new(0);

/// Whether the command waits for input, which may never come.
static WAITING: AtomicBool = AtomicBool::new(false);

/// Whether the user has stopped it.
pub(super) fn stopped() -> bool {
    STOPS.load(Ordering::SeqCst) > 0
}

/// From now on Ctrl-C ends the derivation in work, which clears its memory, within some milliseconds; a second one, or one
/// while input is waited for, ends the process. Either way no file is left half written and the terminal as it was.
pub(super) fn listen() {
    let stop = || {
        if STOPS.fetch_add(1, Ordering::SeqCst) > 0 || WAITING.load(Ordering::SeqCst) {
            leave();
        }
    };
    if let Err(e) = ctrlc::set_handler(stop) {
        super::tell(&format!("warning: Ctrl-C will end this without clearing memory: {e}"));
    }
}

/// Ends the process, with no file left half written and the terminal as it was.
fn leave() -> ! {
    password::restore_terminal();
    // Held to the end: whoever comes here too waits for it.
    let _no_file = key::discard();
    std::process::exit(INTERRUPTED.into());
}

/// Calls what may wait for input, where nobody has stopped it before; a stop meanwhile, or before, ends the process.
///
/// The handler counts the stop and then looks whether this waits; here it is the other way round. In the one order that all
/// threads see, one of the two finds what the other wrote, so no stop is lost.
pub(super) fn waiting<T>(f: impl FnOnce() -> T) -> T {
    WAITING.store(true, Ordering::SeqCst);
    if stopped() {
        leave();
    }
    let value = f();
    WAITING.store(false, Ordering::SeqCst);
    value
}

/// A bar on standard error, where that is a terminal, of a derivation that takes longer than a moment.
pub(super) struct Bar {
    bar: ProgressBar,
    begun: Instant,
    shown: Once,
}

impl Bar {
    pub(super) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let left = |state: &ProgressState, text: &mut dyn std::fmt::Write| {
            if !state.eta().is_zero() {
                // A progress bar that cannot be drawn is no loss.
                let _ = write!(text, "{:#} left", HumanDuration(state.eta()));
            }
        };
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {percent:>3} %  {left}") {
            bar.set_style(style.with_key("left", left));
        }
        Bar { bar, begun: Instant::now(), shown: Once::new() }
    }

    /// Takes the progress, and says whether to go on.
    pub(super) fn watch(&self, progress: Progress) -> ControlFlow<()> {
        const MOMENT: Duration = Duration::from_millis(500);
        if self.begun.elapsed() >= MOMENT {
            self.shown.call_once(|| self.bar.set_draw_target(ProgressDrawTarget::stderr()));
            self.bar.set_length(progress.total);
            self.bar.set_position(progress.done.max(self.bar.position()));
        }
        if stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
