//! Predicted time of a run of jobs on any number of machines: a model of the scheduler. It does not call MPI.
//!
//! Times are in seconds, sizes in bytes. `docs/guides/cluster.md` has the conclusions, and how each cost was
//! measured. Costs and machines are given as NAME=VALUE:
//!
//! ```sh
//! cargo run --example machines -- compute=0.0295 latency=0.02 bandwidth=125000000
//! ```

/// Costs of a job, measured on one machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Costs {
    /// Time of a job on one thread, while the other cores of the machine work too.
    pub(crate) compute: f64,
    /// Share of that time that further threads cannot shorten.
    pub(crate) serial: f64,
    /// Time of rank 0 for a job besides computing: reading, sending, receiving, writing.
    pub(crate) serve: f64,
    /// Bytes of a job's message.
    pub(crate) sent: f64,
    /// Bytes of the result's message.
    pub(crate) returned: f64,
    /// Time from the start of the run until the first job can be computed on one rank.
    pub(crate) ready: f64,
    /// Time that each further node adds to that: the launcher's part of its start, because the nodes start at the same
    /// time.
    pub(crate) launch: f64,
}

/// Machines of a run. Rank 0 is on one of them, and computes as the others do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Machines {
    /// Number of machines.
    pub(crate) nodes: usize,
    /// Cores of each machine.
    pub(crate) cores: usize,
    /// Time of a short message between two machines, one way.
    pub(crate) latency: f64,
    /// Bytes per second of rank 0's link, each way.
    pub(crate) bandwidth: f64,
}

/// Predicted time of a run, and its bottleneck.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Prediction {
    /// Time from the start of the run to its last result.
    pub(crate) seconds: f64,
    /// Bottleneck of the run.
    pub(crate) bound: Bound,
}

/// Bottleneck of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
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
    pub(crate) fn name(self) -> &'static str {
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
    pub(crate) fn predict(&self, machines: &Machines, jobs: usize) -> Prediction {
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
    pub(crate) fn enough_nodes(&self, machines: &Machines, jobs: usize) -> usize {
        let time = |nodes| self.predict(&Machines { nodes, ..*machines }, jobs).seconds;
        // The time has steps from the number of rounds of jobs, so the search doubles first, and then narrows down.
        let mut nodes = 1;
        while nodes < 1 << 20 && time(2 * nodes) < 0.9 * time(nodes) {
            nodes *= 2;
        }
        nodes
    }
}

/// Costs of the cells and proofs of a blob on a Zen 3 with AVX2, as docs/guides/cluster.md has them.
pub(crate) const COSTS: Costs = Costs {
    compute: 0.152,
    serial: 0.01,
    serve: 953e-6,
    sent: 131_072.0,
    returned: 268_288.0,
    ready: 0.67,
    launch: 541e-6,
};

/// Machines with 16 cores, 50 µs and 10 Gbit/s apart.
pub(crate) const MACHINES: Machines = Machines { nodes: 1, cores: 16, latency: 50e-6, bandwidth: 1.25e9 };

fn main() -> Result<(), String> {
    let (mut costs, mut machines) = (COSTS, MACHINES);
    for argument in std::env::args().skip(1) {
        let (name, value) = argument.split_once('=').ok_or(format!("{argument}: write it as NAME=VALUE"))?;
        let value: f64 = value.parse().map_err(|error| format!("{argument}: {error}"))?;
        if !value.is_finite() || value < 0.0 {
            return Err(format!("{argument}: a number of at least 0 is needed"));
        }
        let Costs { compute, serial, serve, sent, returned, ready, launch } = &mut costs;
        let place = match name {
            "compute" => compute,
            "serial" => serial,
            "serve" => serve,
            "sent" => sent,
            "returned" => returned,
            "ready" => ready,
            "launch" => launch,
            "latency" => &mut machines.latency,
            "bandwidth" => &mut machines.bandwidth,
            "cores" => {
                machines.cores = value as usize;
                continue;
            }
            _ => return Err(format!("{argument}: unknown name: the costs, or latency, bandwidth and cores")),
        };
        *place = value;
    }
    println!("{:>9}{:>24}{:>24}{:>24}{:>24}{:>9}", "blobs", 1, 10, 100, "1000 machines", "enough");
    for jobs in [72, 1000, 1_000_000] {
        let cell = |nodes| {
            let Prediction { seconds, bound } = costs.predict(&Machines { nodes, ..machines }, jobs);
            format!("{seconds:.2} s ({})", bound.name())
        };
        let cells: String = [1, 10, 100, 1000].map(|nodes| format!("{:>24}", cell(nodes))).concat();
        println!("{jobs:>9}{cells}{:>9}", costs.enough_nodes(&machines, jobs));
    }
    println!("\nenough: twice as many machines save less than a tenth of the time.");
    Ok(())
}
