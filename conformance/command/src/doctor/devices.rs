//! The devices, the peer access between them, and the fabric.

use conformance::machine::{Device, Fabric, Machine};
use conformance::runner::Probe;

use super::Finding;

pub(super) fn findings(probe: &Probe) -> Vec<Finding> {
    let machine = match &probe.driver {
        Ok(found) if found.machine.problem.is_none() => &found.machine,
        _ => {
            let subjects = ["devices", "peer access", "fabric"];
            return subjects.map(|subject| Finding::unknown(subject, "unknown without a working driver")).into();
        }
    };
    let devices = machine.devices.iter().enumerate();
    let mut findings: Vec<_> = devices.clone().map(|(number, found)| device(number, found)).collect();
    if machine.devices.len() < 2 {
        let only = Finding::missing("peer access", "only one GPU is visible; peer access needs two");
        findings.push(only.remedy("use a machine with two GPUs, or make a second one visible (CUDA_VISIBLE_DEVICES)"));
    } else {
        findings.extend(devices.clone().map(|(number, _)| peers(number, machine)));
    }
    findings.extend(devices.map(|(number, found)| fabric(number, found.fabric)));
    findings
}

fn device(number: usize, device: &Device) -> Finding {
    let Device { name, uuid, memory, .. } = device;
    let abilities = [
        (device.legacy_memory, "legacy memory handles"),
        (device.ipc, "interprocess events"),
        (device.managed_memory, "managed memory"),
        (device.memory_pools, "memory pools"),
        (device.virtual_memory, "virtual memory"),
        (device.memory_descriptors, "file descriptor handles"),
    ];
    let (has, lacks): (Vec<_>, Vec<_>) = abilities.into_iter().partition(|(has, _)| *has);
    let words = |list: Vec<(bool, &'static str)>| list.into_iter().map(|(_, word)| word).collect::<Vec<_>>().join(", ");
    let found = format!("{name}, UUID {uuid}, {} MiB, supports {}", memory >> 20, words(has));
    let subject = format!("GPU {number}");
    if lacks.is_empty() {
        Finding::ok(subject, found)
    } else {
        Finding::missing(subject, format_args!("{found}; does not support {}", words(lacks)))
    }
}

/// Describes a row of the P2P matrix.
fn peers(from: usize, machine: &Machine) -> Finding {
    let links: Vec<_> = machine.links.iter().filter(|link| usize::try_from(link.from) == Ok(from)).collect();
    let word = |link: &&conformance::machine::Link| {
        let atomics = if link.native_atomics { "atomics" } else { "no atomics" };
        let arrays = if link.arrays { "arrays" } else { "no arrays" };
        if link.access {
            format!("GPU {} (rank {}, {atomics}, {arrays})", link.to, link.performance_rank)
        } else {
            format!("GPU {} (no access)", link.to)
        }
    };
    let found = format!("to {}", links.iter().map(word).collect::<Vec<_>>().join(", "));
    let subject = format!("peer access, GPU {from}");
    if links.iter().all(|link| link.access) {
        Finding::ok(subject, found)
    } else {
        Finding::missing(subject, found).remedy(
            "nvidia-smi topo -p2p r shows why; on PCIe, ACS or the IOMMU can prevent it, in a virtual machine the host",
        )
    }
}

fn fabric(number: usize, state: Fabric) -> Finding {
    let subject = format!("fabric, GPU {number}");
    match state {
        Fabric::Channel => Finding::ok(subject, "memory with a fabric handle can be created"),
        Fabric::Absent => Finding::missing(subject, "the device supports no fabric handles (its attribute is 0)"),
        Fabric::NoChannel => Finding::missing(
            subject,
            "the device supports fabric handles, but this process has no IMEX channel",
        )
        .remedy(
            "ask the administrator to create a channel (nvidia-modprobe -c 0) and to give the user or the container \
                 access to its device node /dev/nvidia-caps-imex-channels/channel0",
        ),
        Fabric::OtherChannel => Finding::missing(subject, "this process does not have the IMEX channel of the others"),
        Fabric::NotReady => Finding::missing(subject, "memory with a fabric handle cannot be created yet")
            .remedy("check the fabric's state in nvidia-smi -q, and that the fabric manager is running"),
    }
}
