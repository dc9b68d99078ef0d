//! Detection of launchers of MPI programs by the environment of the processes that they start.

/// A process that a launcher, such as `mpiexec`, has started as one of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Launched {
    /// The environment variable that shows it.
    pub variable: &'static str,
    /// The number of processes, or its minimum.
    pub processes: usize,
    /// Whether this process is the one that warns for all of them: rank 0 if ranks are known.
    pub is_leader: bool,
}

/// Variables with the number of processes and with the rank: of Hydra (MPICH, Intel MPI), Open MPI and Slurm.
const LAUNCHERS: [(&str, &str); 3] = [
    ("PMI_SIZE", "PMI_RANK"),
    ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
    ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),
];

impl Launched {
    /// Returns how this process was started; `None` for one that is alone.
    pub fn from_environment() -> Option<Self> {
        Self::from(|name| std::env::var(name).ok())
    }

    fn from(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let number = |name: &str| variable(name)?.trim().parse::<usize>().ok();
        let sizes = LAUNCHERS.into_iter().filter_map(|(size, rank)| {
            let is_leader = number(rank).is_none_or(|rank| rank == 0);
            Some(Launched { variable: size, processes: number(size)?, is_leader })
        });
        // This variable has no size: rank 1 is the first that knows of another.
        let rank = number("PMIX_RANK").map(|rank| Launched {
            variable: "PMIX_RANK",
            processes: rank.saturating_add(1),
            is_leader: rank == 1,
        });
        sizes.chain(rank).find(|launched| launched.processes > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(all: &[(&str, &str)]) -> Option<(&'static str, usize, bool)> {
        let variable =
            |name: &str| all.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned());
        Launched::from(variable).map(|launched| (launched.variable, launched.processes, launched.is_leader))
    }

    #[test]
    fn one_of_several_is_told_from_one_alone() {
        assert_eq!(from(&[]), None);
        assert_eq!(from(&[("PMI_SIZE", "1"), ("PMI_RANK", "0")]), None);
        assert_eq!(from(&[("PMI_SIZE", "4"), ("PMI_RANK", "0")]), Some(("PMI_SIZE", 4, true)));
        assert_eq!(from(&[("PMI_SIZE", "4"), ("PMI_RANK", "3")]), Some(("PMI_SIZE", 4, false)));
        let open = |rank| from(&[("OMPI_COMM_WORLD_SIZE", " 2 "), ("OMPI_COMM_WORLD_RANK", rank)]);
        assert_eq!(open("0"), Some(("OMPI_COMM_WORLD_SIZE", 2, true)));
        assert_eq!(open("1"), Some(("OMPI_COMM_WORLD_SIZE", 2, false)));
        assert_eq!(from(&[("SLURM_STEP_NUM_TASKS", "8")]), Some(("SLURM_STEP_NUM_TASKS", 8, true)));
        // A job of several tasks, whose script is one process.
        assert_eq!(from(&[("SLURM_NTASKS", "8"), ("SLURM_PROCID", "0")]), None);
        assert_eq!(from(&[("PMIX_RANK", "0")]), None);
        assert_eq!(from(&[("PMIX_RANK", "1")]), Some(("PMIX_RANK", 2, true)));
        assert_eq!(from(&[("PMIX_RANK", "2")]), Some(("PMIX_RANK", 3, false)));
        assert_eq!(from(&[("PMIX_RANK", "18446744073709551615")]), Some(("PMIX_RANK", usize::MAX, false)));
        assert_eq!(from(&[("PMI_SIZE", "many"), ("OMPI_COMM_WORLD_SIZE", "-2")]), None);
    }
}
