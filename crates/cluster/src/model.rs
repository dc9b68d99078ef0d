//! Predicted time of a run of jobs on any number of machines: a model of the scheduler. It does not call MPI.
//!
//! Times are in seconds, sizes in bytes. `docs/explanation/cluster.md` has the conclusions.

/// Costs of a job, measured on one machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// Time of a job on one thread, while the other cores of the machine work too.
    pub compute: f64,
    /// Share of that time that further threads cannot shorten.
    pub serial: f64,
    /// Time of rank 0 for a job besides computing: reading, sending, receiving, writing.
    pub serve: f64,
    /// Bytes of a job's message.
    pub sent: f64,
    /// Bytes of the result's message.
    pub returned: f64,
    /// Time from the start of the run until the first job can be computed on one rank.
    pub ready: f64,
    /// Time that each further node adds to that: the launcher's part of its start, because the nodes start at the same
    /// time.
    pub launch: f64,
}

/// Machines of a run. Rank 0 is on one of them, and computes as the others do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machines {
    /// Number of machines.
    pub nodes: usize,
    /// Cores of each machine.
    pub cores: usize,
    /// Time of a short message between two machines, one way.
    pub latency: f64,
    /// Bytes per second of rank 0's link, each way.
    pub bandwidth: f64,
}

/// Predicted time of a run, and its bottleneck.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Time from the start of the run to its last result.
    pub seconds: f64,
    /// Bottleneck of the run.
    pub bound: Bound,
}

/// Bottleneck of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The start of the ranks.
    Start,
    /// The cores, which compute.
    Computing,
    /// Rank 0, which reads and writes.
    Serving,
    /// The link of rank 0.
    Link,
}

impl Bound {
    /// Returns the name of the bottleneck.
    pub fn name(self) -> &'static str {
        match self {
            Bound::Start => "start",
            Bound::Computing => "computing",
            Bound::Serving => "rank 0",
            Bound::Link => "link",
        }
    }
}

/// Jobs that each rank gets before its first result.
const AHEAD: f64 = 3.0;

impl Costs {
    /// Predicts the time of a run of `jobs` jobs.
    ///
    /// The cores compute, rank 0 serves and its link transfers at the same time, so the slowest of the three counts;
    /// before that come the start and the transfer of the first job, and after it the transfer of the last result. Rank
    /// 0 serves on a core that also computes. Where there are fewer jobs than cores, the cores of a machine share a
    /// job. The look-ahead of the scheduler hides the latency of all jobs but the first and the last.
    pub fn predict(&self, machines: &Machines, jobs: usize) -> Prediction {
        let Machines { nodes, cores, latency, bandwidth } = *machines;
        let (nodes, cores, n) = (nodes.max(1), cores.max(1), jobs as f64);
        let all = nodes * cores;
        let threads = (all / jobs.clamp(1, all)).clamp(1, cores);
        let workers = (nodes * (cores / threads)) as f64;
        let job = self.compute * (self.serial + (1.0 - self.serial) / threads as f64);
        let computing = ((n / workers).ceil() * job).max(n * (self.compute + self.serve) / all as f64);

        let serving = n * self.serve;
        // The cores of rank 0's own machine take the jobs that the link does not carry in time, except for those that
        // were sent already.
        let at_home = (cores / threads) as f64 / job;
        let carried = bandwidth / self.sent.max(self.returned);
        let handed_out = n.min(AHEAD * workers) * (nodes - 1) as f64 / nodes as f64;
        let link =
            if nodes > 1 { (n - handed_out) / (at_home + carried) + handed_out / carried } else { 0.0 };
        let way = if nodes > 1 { 2.0 * latency + (self.sent + self.returned) / bandwidth } else { 0.0 };
        let start = self.ready + (nodes - 1) as f64 * self.launch;

        let bounds = [(computing, Bound::Computing), (serving, Bound::Serving), (link, Bound::Link)];
        let slowest = bounds.into_iter().fold(bounds[0], |a, b| if b.0 > a.0 { b } else { a });
        let work = if jobs == 0 { 0.0 } else { slowest.0 + self.serve + way };
        let bound = if start > work { Bound::Start } else { slowest.1 };
        Prediction { seconds: start + work, bound }
    }

    /// Returns the number of nodes from which doubling it saves less than a tenth of the time.
    pub fn enough_nodes(&self, machines: &Machines, jobs: usize) -> usize {
        let time = |nodes| self.predict(&Machines { nodes, ..*machines }, jobs).seconds;
        // The time has steps from the number of rounds of jobs, so the search doubles first, and then narrows down.
        let mut nodes = 1;
        while nodes < 1 << 20 && time(2 * nodes) < 0.9 * time(nodes) {
            nodes *= 2;
        }
        nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::Scheduler;
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;
    use std::time::Duration;

    const COSTS: Costs = Costs {
        compute: 0.027,
        serial: 0.08,
        serve: 0.0006,
        sent: 131_100.0,
        returned: 268_400.0,
        ready: 0.3,
        launch: 0.01,
    };

    fn machines(nodes: usize) -> Machines {
        Machines { nodes, cores: 16, latency: 50e-6, bandwidth: 1.25e9 }
    }

    #[derive(PartialEq, Eq, PartialOrd, Ord)]
    enum Event {
        /// A rank has computed a job.
        Computed(usize, u64),
        /// Rank 0 has received its result.
        Back(usize, u64),
    }

    /// Runs the scheduler with ranks, a rank 0 and a link that only count time, in nanoseconds.
    fn simulate(costs: &Costs, machines: &Machines, jobs: usize) -> f64 {
        let ns = |seconds: f64| (seconds * 1e9) as u64;
        let ranks = machines.nodes * machines.cores;
        let mut scheduler = Scheduler::new(ranks);
        (0..ranks)
            .for_each(|rank| scheduler.round_trip(rank, Duration::from_nanos(2 * ns(machines.latency))));
        let is_far = |rank: usize| rank >= machines.cores;
        let (compute, serve) = (ns(costs.compute), ns(costs.serve) / 2);
        let transfer = |bytes: f64| ns(bytes / machines.bandwidth);
        let (mut server, mut out, mut home) = (0, 0, 0);
        let mut free = vec![0; ranks];
        let mut events = BinaryHeap::new();
        let (mut now, mut left) = (0, jobs);
        loop {
            while let Some(rank) = scheduler.next_rank().filter(|_| left > 0) {
                left -= 1;
                let id = scheduler.send(rank, ());
                server = server.max(now) + serve;
                let mut there = server;
                if is_far(rank) {
                    out = out.max(server) + transfer(costs.sent);
                    there = out + ns(machines.latency);
                }
                free[rank] = free[rank].max(there) + compute;
                events.push(Reverse((free[rank], Event::Computed(rank, id))));
            }
            let Some(Reverse((time, event))) = events.pop() else { break };
            now = time;
            match event {
                Event::Computed(rank, id) => {
                    let mut back = now;
                    if is_far(rank) {
                        home = home.max(now) + transfer(costs.returned);
                        back = home + ns(machines.latency);
                    }
                    events.push(Reverse((back, Event::Back(rank, id))));
                }
                Event::Back(rank, id) => {
                    server = server.max(now) + serve;
                    now = server;
                    assert!(scheduler.receive(rank, id, Duration::from_nanos(compute), vec![]));
                    while scheduler.ready().is_some() {}
                }
            }
        }
        let start = costs.ready + (machines.nodes - 1) as f64 * costs.launch;
        start + server as f64 * 1e-9
    }

    #[test]
    fn the_scheduler_takes_the_predicted_time() {
        let slow = Machines { latency: 0.02, bandwidth: 1.25e8, ..machines(1) };
        for nodes in [1, 2, 5, 10, 40] {
            for from in [machines(1), slow] {
                for jobs in [1000, 4000, 20_000] {
                    let machines = Machines { nodes, ..from };
                    let said = COSTS.predict(&machines, jobs).seconds;
                    let ratio = simulate(&COSTS, &machines, jobs) / said;
                    assert!((0.85..1.35).contains(&ratio), "{machines:?}, {jobs} jobs: {ratio}");
                }
            }
        }
    }

    #[test]
    fn the_bottleneck_of_a_run() {
        let at = |nodes, jobs| COSTS.predict(&machines(nodes), jobs);
        assert_eq!(at(1, 1_000_000).bound, Bound::Computing);
        assert_eq!(at(10, 1_000_000).bound, Bound::Serving);
        assert_eq!(at(1000, 72).bound, Bound::Start);
        let slow = Machines { bandwidth: 1e7, ..machines(10) };
        assert_eq!(COSTS.predict(&slow, 1_000_000).bound, Bound::Link);
        assert_eq!(at(3, 0).seconds, COSTS.ready + 2.0 * COSTS.launch);
        // One machine: only its cores count.
        let alone = at(1, 16_000).seconds - COSTS.ready;
        assert!((1.0..1.05).contains(&(alone / (1000.0 * COSTS.compute))), "{alone}");
        // One job on one machine is computed by all of its cores.
        assert!(at(1, 1).seconds - COSTS.ready < COSTS.compute / 5.0);
    }

    #[test]
    fn more_machines_pay_until_rank_0_has_no_time() {
        let enough = |jobs| COSTS.enough_nodes(&machines(1), jobs);
        assert!(enough(72) <= 2, "the start costs more than the work");
        assert!((2..=4).contains(&enough(1_000_000)), "{}", enough(1_000_000));
        let free = Costs { serve: 1e-7, sent: 1.0, returned: 1.0, launch: 0.0, ..COSTS };
        assert!(free.enough_nodes(&machines(1), 1_000_000) >= 256);
    }
}
