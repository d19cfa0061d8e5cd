//! The machine around the driver: channels, daemons, namespaces, limits.

use conformance::report::{Environment, Host};

use super::Finding;

/// The inode of the kernel's initial PID namespace.
const INITIAL_PID_NAMESPACE: &str = "pid:[4026531836]";

pub(super) fn findings(environment: &Environment) -> Vec<Finding> {
    let of_the_host = |host: &Host| {
        [
            Finding::ok("system", format_args!("{}, user {}", host.system, host.user)),
            container(host),
            pid_namespace(host),
            ptrace_scope(host),
            open_files(host),
            locked_memory(host),
        ]
    };
    let host = environment.host.iter().flat_map(of_the_host);
    [imex(environment), mps(environment), mig(environment)].into_iter().chain(host).collect()
}

fn imex(environment: &Environment) -> Finding {
    let channels = &environment.imex_channels;
    if channels.is_empty() {
        Finding::missing("IMEX channels", "/dev/nvidia-caps-imex-channels has no device node")
    } else {
        Finding::ok("IMEX channels", channels.join(", "))
    }
}

fn mps(environment: &Environment) -> Finding {
    match &environment.mps {
        Some(folder) => Finding::ok("MPS", format_args!("a daemon listens in {folder}; cases run as its clients")),
        None => Finding::ok("MPS", "no daemon listens; no case needs one"),
    }
}

fn mig(environment: &Environment) -> Finding {
    match environment.mig.as_slice() {
        [] => Finding::ok("MIG", "no GPU is partitioned; no case needs it"),
        gpus => Finding::ok("MIG", format_args!("partitioned: {}", gpus.join(", "))),
    }
}

fn container(host: &Host) -> Finding {
    match &host.container {
        Some(kind) => Finding::ok("container", kind),
        None => Finding::ok("container", "none detected"),
    }
}

fn pid_namespace(host: &Host) -> Finding {
    match host.pid_namespace.as_deref() {
        Some(INITIAL_PID_NAMESPACE) => Finding::ok("PID namespace", "the initial one of the machine"),
        Some(namespace) => Finding::ok(
            "PID namespace",
            format_args!("{namespace}, not the initial one: processes outside it cannot open handles exported in it"),
        ),
        None => Finding::unknown("PID namespace", "/proc/self/ns/pid cannot be read").remedy("mount /proc"),
    }
}

fn ptrace_scope(host: &Host) -> Finding {
    let remedy = "run sysctl kernel.yama.ptrace_scope=0, or grant the capability CAP_SYS_PTRACE";
    match host.ptrace_scope {
        None => Finding::ok("ptrace_scope", "no Yama: users and capabilities decide"),
        Some(0) => Finding::ok("ptrace_scope", "0: pidfd_getfd works on processes of the same user"),
        Some(scope @ 1..=2) if host.user == 0 => {
            Finding::ok("ptrace_scope", format_args!("{scope}, which does not restrict root"))
        }
        Some(scope) => {
            Finding::missing("ptrace_scope", format_args!("{scope}: pidfd_getfd does not work on a sibling process"))
                .remedy(remedy)
        }
    }
}

fn open_files(host: &Host) -> Finding {
    /// Enough for the descriptors that the largest cases and the driver hold open in one process.
    const ENOUGH: u64 = 1024;
    match host.limits.open_files {
        Some(limit) if limit < ENOUGH => Finding::missing("open files", format_args!("at most {limit} per process"))
            .remedy(format_args!("ulimit -n {ENOUGH}")),
        limit => Finding::ok("open files", at_most(limit, "")),
    }
}

fn locked_memory(host: &Host) -> Finding {
    Finding::ok("locked memory", at_most(host.limits.locked_memory, " bytes"))
}

fn at_most(limit: Option<u64>, unit: &str) -> String {
    limit.map_or_else(|| "no limit".to_owned(), |limit| format!("at most {limit}{unit} per process"))
}
