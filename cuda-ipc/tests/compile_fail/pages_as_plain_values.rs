use cuda_ipc::host::SharedPages;

fn sum(pages: &SharedPages<u32>) -> u32 {
    let values: &[u32] = pages.numbers();
    values.iter().sum()
}

fn main() {}
