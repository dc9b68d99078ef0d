//! The cost model of the example `machines`, compared with the real scheduler on simulated ranks and links.

use super::Scheduler;
use super::machines::{Bound, Costs, Machines};
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
    (0..ranks).for_each(|rank| scheduler.round_trip(rank, Duration::from_nanos(2 * ns(machines.latency))));
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
