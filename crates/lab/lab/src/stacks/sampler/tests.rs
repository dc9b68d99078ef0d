use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::LazyLock;

use nix::sys::signal::Signal;
use tempfile::TempDir;

use super::stop::{seize, seized};
use super::*;
use crate::process_tree;

/// Functions that take processor time, and a way to call them that the compiler does not change.
const WORK: &str = r#"
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#define PLAIN __attribute__((noinline, noclone))
PLAIN void spin(unsigned long n) { while (n--) __asm__ volatile("" ::: "memory"); }
PLAIN void once(void) { spin(200000); __asm__ volatile(""); }
PLAIN void thrice(void) { spin(600000); __asm__ volatile(""); }
PLAIN void work(void) { for (;;) { once(); thrice(); } }
"#;

/// Error if a process may not trace its children.
static REFUSED: LazyLock<Option<Errno>> = LazyLock::new(|| {
    let mut child = Command::new("sleep").arg("60").spawn().unwrap();
    let traced = std::thread::scope(|scope| {
        let thread = Pid::from_raw(child.id().cast_signed());
        scope.spawn(move || seize(thread)).join().unwrap()
    });
    child.kill().unwrap();
    child.wait().unwrap();
    traced.err().map(|why| if let NoSnapshot::Untraced(errno) = why { errno } else { Errno::UnknownErrno })
});

/// A program in C that runs, and is killed at the end.
struct Program {
    child: Child,
    tree: ProcessTree,
    _folder: TempDir,
}

impl Drop for Program {
    fn drop(&mut self) {
        self.tree.end();
        let _ = self.child.wait();
    }
}

impl Program {
    /// Compiles and starts a program; `None` if there is no compiler, or ptrace is not allowed.
    fn start(text: &str) -> Option<Self> {
        if let Some(errno) = *REFUSED {
            println!("SKIP parcrypt-lab sampler {errno}: {}", advice(errno));
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("burner.c");
        std::fs::write(&source, format!("{WORK}{text}")).unwrap();
        let program = folder.path().join("burner");
        // Without frame pointers, so that stacks need the tables of the file.
        let options = ["-O2", "-fomit-frame-pointer", "-pthread", "-o"];
        match Command::new("cc").args(options).arg(&program).arg(&source).status() {
            Ok(status) => assert!(status.success(), "{text}"),
            Err(error) => {
                println!("SKIP parcrypt-lab sampler cc: {error}");
                return None;
            }
        }
        Some(Self::started(&program, folder))
    }

    fn started(program: &Path, folder: TempDir) -> Self {
        let mut command = Command::new(program);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let marker = process_tree::mark(&mut command);
        let child = command.spawn().unwrap();
        let tree = ProcessTree::of(&child, marker);
        Program { child, tree, _folder: folder }
    }

    /// Samples it for a time.
    fn sampled(&self, time: Duration) -> Result<Sampled, SamplerError> {
        let sampler = Sampler::begin(self.tree.again(), Whose::All);
        std::thread::sleep(time);
        sampler.end()
    }

    /// Samples it for a second, and for longer as long as the samples are not as expected: a busy machine gives few.
    fn sampled_until(&self, expected: impl Fn(&Sampled) -> bool) {
        for seconds in [1, 4, 16] {
            let sampled = self.sampled(Duration::from_secs(seconds)).unwrap();
            if expected(&sampled) {
                return;
            }
            assert!(seconds < 16, "{sampled:?}");
        }
    }

    /// Samples it until it has ended.
    fn ended(&mut self) -> (ExitStatus, Result<Sampled, SamplerError>) {
        let sampler = Sampler::begin(self.tree.again(), Whose::All);
        while self.tree.has_leader() == Some(true) {
            std::thread::sleep(Duration::from_millis(1));
        }
        let sampled = sampler.end();
        (self.child.try_wait().unwrap().unwrap(), sampled)
    }
}

/// Returns the share of the processor time that was below a function.
fn share(of: &Sampled, function: &str) -> f64 {
    let has = |names: &[String]| names.iter().any(|name| name == function);
    let time = |only: bool| {
        of.stacks.iter().filter(|(names, _)| !only || has(names)).map(|(_, time)| *time as f64).sum::<f64>()
    };
    time(true) / time(false)
}

#[test]
fn shares_match_the_work() {
    let Some(program) = Program::start("int main(void) { work(); }") else { return };
    let whole = |names: &[String]| names.ends_with(&["main", "work", "thrice", "spin"].map(str::to_owned));
    program.sampled_until(|sampled| {
        (0.6..0.9).contains(&share(sampled, "thrice"))
            && (0.1..0.4).contains(&share(sampled, "once"))
            && sampled.stacks.iter().any(|(names, _)| whole(names))
    });
}

#[test]
fn threads_and_processes_of_a_tree_are_sampled_and_those_that_wait_are_not() {
    let text = r#"
    PLAIN void *in_thread(void *x) { work(); return x; }
    PLAIN void *waits(void *x) { pause(); return x; }
    PLAIN void in_child(void) { work(); }
    PLAIN void again(void) { execl("/proc/self/exe", "burner", "again", (char *)0); }
    int main(int count, char **words) {
        (void)words;
        if (count > 1) { in_child(); }
        pthread_t thread;
        pthread_create(&thread, 0, waits, 0);
        pthread_create(&thread, 0, in_thread, 0);
        // A process of its own that becomes another program. One that has lost its parent may not be traced everywhere.
        if (fork() == 0) { spin(100000000); again(); }
        pthread_join(thread, 0);
    }"#;
    let Some(program) = Program::start(text) else { return };
    program.sampled_until(|sampled| {
        let [thread, child] = ["in_thread", "in_child"].map(|name| share(sampled, name));
        thread > 0.1
            && child > 0.05
            && share(sampled, "waits") < 0.05
            && (0.5..0.95).contains(&share(sampled, "thrice"))
    });
}

/// Threads and processes that begin and end all the time are in the way of a sampler that waits for them.
#[test]
fn the_lab_gets_the_exit_code_and_the_signal_of_a_process_that_is_sampled() {
    let churn = r#"
    PLAIN void *short_work(void *x) { thrice(); return x; }
    int main(void) {
        for (int i = 0; i < 300; i++) {
            pthread_t thread;
            pthread_create(&thread, 0, short_work, 0);
            pid_t child = fork();
            if (child == 0) { thrice(); _exit(i % 100); }
            int status;
            if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != i % 100) return 1;
            pthread_join(thread, 0);
        }
        END
    }"#;
    for (end, expected) in [("return 7;", Ok(7)), ("abort();", Err(Signal::SIGABRT as i32))] {
        let Some(mut program) = Program::start(&churn.replace("END", end)) else { return };
        let (status, sampled) = program.ended();
        assert_eq!(status.code().ok_or_else(|| status.signal().unwrap()), expected);
        assert!(sampled.unwrap().samples > 0);
    }
    let Some(mut program) = Program::start("int main(void) { return 3; }") else { return };
    assert_eq!(program.ended().0.code(), Some(3));
}

/// A thread that is about to handle a signal when it is stopped handles it after that. The lab cannot name a signal of
/// the real-time kind.
#[test]
fn signals_arrive_at_a_thread_that_is_stopped() {
    let text = r#"
    static volatile sig_atomic_t handled, ends;
    static void handle(int number) { (void)number; handled++; }
    static void end(int number) { (void)number; ends = 1; }
    int main(void) {
        signal(SIGNAL, handle);
        signal(SIGTERM, end);
        for (int sent = 1; !ends; sent++) {
            raise(SIGNAL);
            if (handled != sent) return 1;
            once();
        }
        return 0;
    }"#;
    for (signal, is_lost) in [("SIGUSR1", false), ("SIGRTMIN + 3", true)] {
        let Some(mut program) = Program::start(&text.replace("SIGNAL", signal)) else { return };
        std::thread::sleep(Duration::from_millis(20));
        let thread = program.tree.leader();
        let state = || Process::new(thread.as_raw()).and_then(|p| p.stat()).unwrap().state;
        for _ in 0..20 {
            let stopped = || {
                seize(thread).unwrap();
                while state() != 't' {
                    std::thread::sleep(Duration::from_millis(1));
                }
                let taken = seized(thread, state);
                assert_eq!(taken.as_ref().err(), is_lost.then_some(&NoSnapshot::Lost), "{signal}");
            };
            std::thread::scope(|scope| scope.spawn(stopped).join()).unwrap();
            while state() == 't' {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        nix::sys::signal::kill(thread, Signal::SIGTERM).unwrap();
        assert_eq!(program.ended().0.code(), Some(0), "{signal}");
    }
}

/// The sampler looks at the end of a process that it traces, and leaves its status to the lab.
#[test]
fn a_process_that_ends_while_it_is_traced_leaves_its_status() {
    let Some(mut program) = Program::start("int main(void) { work(); }") else { return };
    let thread = program.tree.leader();
    let ends = || {
        seize(thread).unwrap();
        nix::sys::signal::kill(thread, Signal::SIGKILL).unwrap();
        while program.tree.has_leader() == Some(true) {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(seized(thread, || ()).err(), Some(NoSnapshot::Lost));
    };
    std::thread::scope(|scope| scope.spawn(ends).join()).unwrap();
    assert_eq!(program.ended().0.signal(), Some(Signal::SIGKILL as i32));
}

#[test]
fn a_process_that_cannot_be_traced_is_told() {
    // It is traced already, by its child.
    let text = r#"
    int main(void) {
        pid_t parent = getpid();
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
        if (fork() == 0) {
            if (ptrace(PTRACE_SEIZE, parent, 0, 0) != 0) _exit(1);
            for (;;) pause();
        }
        work();
    }"#;
    let Some(program) = Program::start(text) else { return };
    let status = |field: &str| {
        let status = std::fs::read_to_string(format!("/proc/{}/status", program.child.id())).unwrap();
        status.lines().find_map(|line| Some(line.strip_prefix(field)?.trim().to_owned())).unwrap()
    };
    while status("TracerPid:") == "0" {
        std::thread::sleep(Duration::from_millis(1));
    }
    let error = program.sampled(Duration::from_millis(100)).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, SamplerError::Refused { errno: Errno::EPERM }), "{text}");
    assert!(text.starts_with("the system does not let it be traced (EPERM: ") && text.len() > 80, "{text}");
}

/// Checks that nothing of a worker counts, also if it becomes another program at each moment.
#[test]
fn a_worker_that_begins_is_not_the_command() {
    let again = "int main(int count, char **words) { spin(20000); execv(words[0], words); return count; }";
    let Some(program) = Program::start(again) else { return };
    let sampler = Sampler::begin(program.tree.again(), Whose::Command);
    while !sampler.has_looked(200) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let sampled = sampler.end();
    assert!(matches!(sampled, Err(SamplerError::Idle)), "{sampled:?}");
}

/// Checks that nothing of a hook counts, even if it keeps calling exec or is started without its environment.
#[test]
fn a_hook_that_begins_is_not_the_command() {
    let text = format!(
        r#"
    void become(const char *what) {{ execl("/proc/self/exe", "burner", what, (char *)0); }}
    int main(int count, char **words) {{
        if (count == 1) {{
            // The hooks have the marker from their first instruction on.
            setenv("{HOOK}", "1", 1);
            become("worker");
        }}
        if (!strcmp(words[1], "worker")) {{
            int first = fork();
            if (first != 0 && fork() != 0) for (;;) pause();
            become(first == 0 ? "again" : "hook");
        }}
        if (!strcmp(words[1], "hook")) {{
            if (fork() != 0) for (;;) pause();
            clearenv();
            become("bare");
        }}
        spin(20000);
        if (!strcmp(words[1], "again")) become("again");
        for (;;) {{ once(); usleep(1000); }}
    }}"#
    );
    let Some(program) = Program::start(&text) else { return };
    let sampler = Sampler::begin(program.tree.again(), Whose::Command);
    while !sampler.has_looked(300) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let sampled = sampler.end();
    assert_eq!(program.tree.again().processes().len(), 4);
    assert!(matches!(sampled, Err(SamplerError::Idle)), "{sampled:?}");
}

#[test]
fn nothing_is_left_stopped_and_a_stopped_process_stays_stopped() {
    let Some(program) = Program::start("int main(void) { work(); }") else { return };
    let state = || {
        let stat = Process::new(program.tree.leader().as_raw()).and_then(|p| p.stat()).unwrap();
        (stat.state, stat.utime + stat.stime)
    };
    for _ in 0..20 {
        let sampler = Sampler::begin(program.tree.again(), Whose::All);
        std::thread::sleep(Duration::from_millis(10));
        drop(sampler);
        assert_eq!(state().0, 'R');
    }
    let sampler = Sampler::begin(program.tree.again(), Whose::All);
    std::thread::sleep(Duration::from_millis(50));
    nix::sys::signal::kill(program.tree.leader(), Signal::SIGSTOP).unwrap();
    while state().0 != 'T' {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(Duration::from_millis(50));
    // For a moment of each sample the state is another, but no time passes for it.
    let before = state();
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(before.1, state().1);
    // A busy machine may not have given the process time enough for a sample.
    assert!(matches!(sampler.end(), Ok(_) | Err(SamplerError::Idle)));
    let stopped = (0..1000).any(|_| {
        std::thread::sleep(Duration::from_millis(1));
        state().0 == 'T'
    });
    assert!(stopped && before.1 == state().1);
    nix::sys::signal::kill(program.tree.leader(), Signal::SIGCONT).unwrap();
    while state().1 == before.1 {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(matches!(Program::sampled(&program, Duration::ZERO), Ok(_) | Err(SamplerError::Idle)));
}
