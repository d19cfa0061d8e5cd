//! A ticket obeys its rules: its contents can be read, but not changed without a new check.

fn main() {}

fn change(ticket: &mut cuda_ipc::Ticket) {
    ticket.length = u64::MAX;
}
