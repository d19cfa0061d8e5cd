//! The machine around the driver: channels, daemons, namespaces, limits.

use conformance::report::{Environment, Host};

use super::Finding;

/// The PID namespace that the kernel starts with has this inode.
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
        Finding::missing("IMEX channels", "there is no node in /dev/nvidia-caps-imex-channels")
    } else {
        Finding::ok("IMEX channels", channels.join(", "))
    }
}

fn mps(environment: &Environment) -> Finding {
    match &environment.mps {
        Some(folder) => Finding::ok("MPS", format_args!("a daemon listens in {folder}, and cases become its clients")),
        None => Finding::ok("MPS", "no daemon listens, and no case needs one"),
    }
}

fn mig(environment: &Environment) -> Finding {
    match environment.mig.as_slice() {
        [] => Finding::ok("MIG", "no GPU is split, and no case needs it"),
        gpus => Finding::ok("MIG", format_args!("split: {}", gpus.join(", "))),
    }
}

fn container(host: &Host) -> Finding {
    match &host.container {
        Some(kind) => Finding::ok("container", kind),
        None => Finding::ok("container", "nothing hints at one"),
    }
}

fn pid_namespace(host: &Host) -> Finding {
    match host.pid_namespace.as_deref() {
        Some(INITIAL_PID_NAMESPACE) => Finding::ok("PID namespace", "the machine's first"),
        Some(namespace) => Finding::ok(
            "PID namespace",
            format_args!("{namespace}, one of its own: processes outside cannot open what is exported here"),
        ),
        None => Finding::unknown("PID namespace", "/proc/self/ns/pid cannot be read").remedy("mount /proc"),
    }
}

fn ptrace_scope(host: &Host) -> Finding {
    let remedy = "sysctl kernel.yama.ptrace_scope=0, or the capability CAP_SYS_PTRACE";
    match host.ptrace_scope {
        None => Finding::ok("ptrace_scope", "there is no Yama: users and capabilities decide"),
        Some(0) => Finding::ok("ptrace_scope", "0: pidfd_getfd reaches the processes of the same user"),
        Some(scope @ 1..=2) if host.user == 0 => {
            Finding::ok("ptrace_scope", format_args!("{scope}, which holds for others than root"))
        }
        Some(scope) => {
            Finding::missing("ptrace_scope", format_args!("{scope}: pidfd_getfd does not reach a sibling process"))
                .remedy(remedy)
        }
    }
}

fn open_files(host: &Host) -> Finding {
    /// What the largest cases hold open in one process, and the driver's own.
    const ENOUGH: u64 = 1024;
    match host.limits.open_files {
        Some(limit) if limit < ENOUGH => Finding::missing("open files", format_args!("at most {limit} in a process"))
            .remedy(format_args!("ulimit -n {ENOUGH}")),
        limit => Finding::ok("open files", at_most(limit, "")),
    }
}

fn locked_memory(host: &Host) -> Finding {
    Finding::ok("locked memory", at_most(host.limits.locked_memory, " bytes"))
}

fn at_most(limit: Option<u64>, unit: &str) -> String {
    limit.map_or_else(|| "no limit".to_owned(), |limit| format!("at most {limit}{unit} in a process"))
}
