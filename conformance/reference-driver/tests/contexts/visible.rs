//! `CUDA_VISIBLE_DEVICES`, with each list in a process of its own. The expected results are those of two H200s with
//! driver 580.159.04. Unit tests beside the code cover the meaning of a single entry.

use std::process::Command;

use cuda_ipc_sys::{CUresult, CUuuid};

const VISIBLE: &str = "CUDA_VISIBLE_DEVICES";
const NO_DEVICE: CUresult = CUresult::CUDA_ERROR_NO_DEVICE;
const INVALID_DEVICE: CUresult = CUresult::CUDA_ERROR_INVALID_DEVICE;

fn uuid(device: i32) -> String {
    let mut uuid = CUuuid::default();
    call!(cuDeviceGetUuid(&mut uuid, device));
    uuid.bytes.iter().map(|byte| format!("{:02x}", byte.cast_unsigned())).collect()
}

fn count() -> i32 {
    let mut count = -1;
    call!(cuDeviceGetCount(&mut count));
    count
}

/// Runs in the child process: prints the code of `cuInit` and the UUIDs of the devices.
#[test]
#[ignore = "started by the tests here, as another process"]
fn child() {
    let code = code!(cuInit(0));
    let devices: Vec<_> = if code == CUresult::CUDA_SUCCESS { (0..count()).map(uuid).collect() } else { Vec::new() };
    println!("\nanswer {} {}", code.0, devices.join(" "));
}

/// Returns the UUIDs of the devices that a process on the same machine sees, or the code of its `cuInit`.
fn seen(list: Option<&str>, devices: &str) -> Result<Vec<String>, CUresult> {
    let mut command = Command::new(std::env::current_exe().expect("a test executable has a path"));
    command.args(["--exact", "visible::child", "--ignored", "--nocapture"]).env_remove(VISIBLE);
    command.env("REFERENCE_DRIVER_DEVICES", devices).envs(list.map(|list| (VISIBLE, list)));
    let output = command.output().expect("the test executable starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let answer = text.lines().find_map(|line| line.strip_prefix("answer ")).expect("the child prints its answer");
    let mut words = answer.split_whitespace();
    let code = words.next().and_then(|code| code.parse().ok()).expect("a code comes first");
    CUresult(code).result().map(|()| words.map(str::to_owned).collect())
}

tests! {
    fn a_list_chooses_and_orders() {
        call!(cuInit(0));
        let [one, other] = [0, 1].map(uuid);
        let (short_one, short_other) = (&one[..8], &other[..8]);
        assert_ne!(short_one, short_other);
        let dashed = format!("GPU-{}-{}-{}-{}-{}", &other[..8], &other[8..12], &other[12..16], &other[16..20], &other[20..]);
        let seen = |list: &str| seen(Some(list), "2");
        for (list, expected) in [
            ("0", &[&one][..]),
            ("1", &[&other]),
            ("0,1", &[&one, &other]),
            ("1,0", &[&other, &one]),
            ("0,-1,1", &[&one]),
            ("0,2,1", &[&one]),
            ("0,,1", &[&one]),
            ("0,abc,1", &[&one]),
            ("1abc, 0", &[&other, &one]),
            (&dashed, &[&other]),
            (&dashed.to_uppercase(), &[&other]),
            (&format!("GPU-{short_other},GPU-{short_one}"), &[&other, &one]),
            (&format!("GPU-{one},GPU-zzzz,GPU-{other}"), &[&one]),
            (&format!("GPU-{other},0"), &[&other]),
            (&format!("0,GPU-{other}"), &[&one]),
        ] {
            assert_eq!(seen(list), Ok(expected.iter().map(|uuid| (*uuid).clone()).collect()), "{list}");
        }
    }

    fn a_list_that_names_nothing_leaves_no_device() {
        call!(cuInit(0));
        let one = uuid(0);
        for list in ["", " ", "-1", "2", "-1,0", ",0", "all", "none", "abc", "GPU", "GPU-", "MIG-0", &format!("gpu-{one}")] {
            assert_eq!(seen(Some(list), "2"), Err(NO_DEVICE), "{list:?}");
        }
    }

    fn a_device_that_is_named_twice_is_an_error() {
        call!(cuInit(0));
        let one = uuid(0);
        for list in ["0,0", "0,1,0", "1,1,0", &format!("GPU-{one},GPU-{}", &one[..8])] {
            assert_eq!(seen(Some(list), "2"), Err(INVALID_DEVICE), "{list}");
        }
    }

    fn it_counts_the_devices_of_the_machine() {
        call!(cuInit(0));
        let one = uuid(0);
        assert_eq!(seen(None, "0"), Err(NO_DEVICE));
        assert_eq!(seen(Some("0"), "0"), Err(NO_DEVICE));
        assert_eq!(seen(None, "1"), Ok(vec![one.clone()]));
        assert_eq!(seen(Some("0,1"), "1"), Ok(vec![one]));
        let seven = seen(None, "7").unwrap();
        assert_eq!(seen(Some("6,3"), "7"), Ok(vec![seven[6].clone(), seven[3].clone()]));
    }
}
