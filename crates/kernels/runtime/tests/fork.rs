//! A fork after use: the child must work, without waiting for threads of the parent.
//!
//! This file runs without a test harness, because a harness has threads of its own and a fork should copy a process
//! in a known state.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]
#![allow(unsafe_code, reason = "fork, waitpid and _exit have no safe wrapper in libc")]

#[cfg(unix)]
mod unix {
    use std::time::{Duration, Instant};

    use parcrypt_testkit::{runtime_conforms, runtimes};

    /// Calls `body` in a forked child and returns whether it succeeded within the time.
    fn in_child(body: impl FnOnce()) -> Result<(), String> {
        // SAFETY: the parent holds no lock; the child ends by _exit and does not return.
        let child = unsafe { libc::fork() };
        match child {
            -1 => Err(std::io::Error::last_os_error().to_string()),
            0 => {
                let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)).is_ok();
                // SAFETY: ends the child without running the parent's exit handlers.
                unsafe { libc::_exit(i32::from(!ended)) }
            }
            _ => {
                let begun = Instant::now();
                loop {
                    let mut status = 0;
                    // SAFETY: `child` is a child of this process and `status` is valid for a write.
                    if unsafe { libc::waitpid(child, &raw mut status, libc::WNOHANG) } == child {
                        return if status == 0 {
                            Ok(())
                        } else {
                            Err(format!("the child ended with {status}"))
                        };
                    }
                    if begun.elapsed() > Duration::from_secs(60) {
                        // SAFETY: `child` is a child of this process that has not been waited for.
                        unsafe { libc::kill(child, libc::SIGKILL) };
                        return Err("the child hangs".into());
                    }
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
        }
    }

    pub(super) fn main() {
        // QEMU, which emulates another processor, fails an assertion of its own when the child of a process with
        // threads starts a thread.
        let probe = || in_child(|| std::thread::spawn(|| {}).join().unwrap());
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let other = std::thread::spawn(move || ended.recv());
        let starts_threads = probe();
        drop(end);
        let _ = other.join().unwrap();
        if let Err(why) = starts_threads {
            println!("SKIP parcrypt-runtime fork a forked process cannot start a thread here: {why}");
            return;
        }
        let mut failed = 0;
        let all = runtimes("parcrypt-runtime");
        for rt in &all {
            let rt = &**rt;
            rt.run(20, &|_| {});
            rt.join(&mut || {}, &mut || {});
            let child = in_child(|| {
                runtime_conforms(rt);
                // A fork in the child, after the child has used it too.
                in_child(|| runtime_conforms(rt)).unwrap();
                // A runtime that is created in the child.
                runtimes("parcrypt-runtime").iter().for_each(|new| runtime_conforms(&**new));
            });
            let name = format!("fork after {} with {} threads", rt.name(), rt.threads());
            match child {
                Ok(()) => println!("test {name} ... ok"),
                Err(why) => {
                    failed += 1;
                    println!("test {name} ... FAILED: {why}");
                }
            }
            rt.run(20, &|_| {});
        }
        println!("{} passed, {failed} failed", all.len() - failed);
        assert_eq!(failed, 0);
    }
}

#[cfg(unix)]
use unix::main;

#[cfg(not(unix))]
fn main() {
    println!("SKIP parcrypt-runtime fork this system has no fork");
}
