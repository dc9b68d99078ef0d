//! Progress bars on standard error, drawn only if that is a terminal.

use std::sync::Once;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::text::{clock, on_one_line, tell};

/// Time before a delayed bar is drawn.
const DELAY: Duration = Duration::from_millis(500);

/// A bar that is removed when it is dropped.
pub struct Bar {
    bar: ProgressBar,
    /// Creation time of a delayed bar, and whether it is drawn.
    delay: Option<(Instant, Once)>,
}

impl Bar {
    /// Makes a bar of `len` items with the time left; hidden for less than two.
    pub fn of_items(len: usize) -> Self {
        let bar = if len > 1 { ProgressBar::new(len as u64) } else { ProgressBar::hidden() };
        style(&bar, "{bar:24} {pos} of {len}  {left}{msg}");
        bar.enable_steady_tick(Duration::from_millis(250));
        Bar { bar, delay: None }
    }

    /// Makes a bar in percent, whose time left is set by [`Bar::of_lab`].
    pub fn percent() -> Self {
        let bar = ProgressBar::new(1);
        style(&bar, "{bar:12} {percent:>3} %  {prefix}  {wide_msg}");
        Bar { bar, delay: None }
    }

    /// Makes a bar in percent with the time left, which is drawn after half a second.
    pub fn delayed() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        style(&bar, "{bar:24} {percent:>3} %  {left}");
        Bar { bar, delay: Some((Instant::now(), Once::new())) }
    }

    /// Creates a spinner with a message, for work of unknown length.
    pub fn spinner() -> Self {
        let bar = ProgressBar::new_spinner();
        bar.enable_steady_tick(Duration::from_millis(250));
        Bar { bar, delay: None }
    }

    /// Counts one more item.
    pub fn advance(&self) {
        self.bar.inc(1);
    }

    /// Sets the completed share; it never decreases.
    pub fn set(&self, done: u64, total: u64) {
        if let Some((begun, drawn)) = &self.delay {
            if begun.elapsed() < DELAY {
                return;
            }
            drawn.call_once(|| self.bar.set_draw_target(ProgressDrawTarget::stderr()));
        }
        self.bar.set_length(total);
        self.bar.set_position(done.max(self.bar.position()));
    }

    /// Sets the share from 0 to 1 that the lab has done, the time left if it is known, and the text.
    pub fn of_lab(&self, done: f64, left: Duration, what: &str) {
        self.set((done.clamp(0.0, 1.0) * 1000.0) as u64, 1000);
        if !left.is_zero() {
            self.bar.set_prefix(format!("{} left", clock(left)));
        }
        self.set_message(what);
    }

    /// Sets the text after the bar, with control characters escaped.
    pub fn set_message(&self, message: impl AsRef<str>) {
        self.bar.set_message(on_one_line(message.as_ref()));
    }

    /// Sets the text after the bar for a phase that begins; if the bar is not drawn, as outside of a terminal, it is a
    /// line of its own.
    pub fn begin(&self, phase: &str) {
        if self.is_hidden() {
            tell(phase);
        }
        self.set_message(phase);
    }

    /// Returns a function that sets the text after the bar, for a thread that may outlive it.
    pub fn message_setter(&self) -> impl Fn(&'static str) + Send + 'static {
        let bar = self.bar.clone();
        move |message| bar.set_message(message)
    }

    /// Calls a function that writes to the terminal, with the bar hidden.
    pub fn suspend<T>(&self, f: impl FnOnce() -> T) -> T {
        self.bar.suspend(f)
    }

    /// Returns whether the bar is not drawn.
    pub fn is_hidden(&self) -> bool {
        self.bar.is_hidden()
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Sets the template, in which `left` is the time left by the bar's own estimate.
fn style(bar: &ProgressBar, template: &str) {
    let left = |state: &ProgressState, text: &mut dyn std::fmt::Write| {
        if !state.eta().is_zero() {
            // A bar that cannot be drawn is ignored.
            let _ = write!(text, "{:#} left  ", HumanDuration(state.eta()));
        }
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.with_key("left", left));
    }
}
