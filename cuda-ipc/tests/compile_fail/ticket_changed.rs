//! A ticket keeps its rules: its contents are read, and changed only where they are checked again.

fn main() {}

fn change(ticket: &mut cuda_ipc::Ticket) {
    ticket.length = u64::MAX;
}
