//! Parcels that are refused, with errors that say why.

use std::os::fd::OwnedFd;

use cuda_ipc::event::InterprocessEvent;
use cuda_ipc::ticket::TicketError;
use cuda_ipc::transport::Connection;
use cuda_ipc::{DeviceBuffer, Error, Parcel};
use rstest::rstest;

use crate::SIZE;
use crate::common::context;
use crate::peer::{Peer, roles, wait_for_the_end};

#[test]
fn a_process_does_not_open_what_it_shared_itself() {
    let context = context();
    let parcel = DeviceBuffer::new(&context, SIZE).unwrap().share(..).unwrap();
    // SAFETY: the parcel is refused before the driver is called.
    let error = unsafe { parcel.open(&context) }.unwrap_err();
    assert!(matches!(error, Error::OwnTicket), "{error}");
    assert!(error.to_string().contains("use the value that it was made from"), "{error}");
    let parcel = InterprocessEvent::new(&context).unwrap().share().unwrap();
    // SAFETY: as above.
    assert!(matches!(unsafe { parcel.open_event(&context) }, Err(Error::OwnTicket)));
}

#[test]
fn memory_is_no_event_and_an_event_no_memory() {
    let context = context();
    let exporter = Peer::start(module_path!(), "role_shares_both");
    let (memory, event) =
        (Parcel::receive(&exporter.connection).unwrap(), Parcel::receive(&exporter.connection).unwrap());
    // SAFETY: the parcels are refused before the driver is called.
    let (as_event, as_memory) = unsafe { (memory.open_event(&context), event.open(&context)) };
    assert!(matches!(as_event, Err(Error::OtherTicket { found: "legacy memory", wanted: "an event", .. })));
    assert!(matches!(as_memory, Err(Error::OtherTicket { found: "an event", wanted: "memory", .. })));
}

#[rstest]
#[case::too_many(2)]
#[case::far_too_many(300)]
fn a_parcel_has_the_descriptors_of_its_ticket(#[case] count: usize) {
    let (sender, receiver) = Connection::pair().unwrap();
    let ticket = DeviceBuffer::new(&context(), SIZE).unwrap().share(..).unwrap().ticket;
    let file = std::fs::File::open("/dev/null").unwrap();
    let descriptors = (0..count).map(|_| OwnedFd::from(file.try_clone().unwrap())).collect();
    Parcel { ticket, descriptors, tenancy: None }.send(&sender).unwrap();
    let error = Parcel::receive(&receiver).unwrap_err();
    assert!(matches!(error, Error::Descriptors { found, wanted: 0, .. } if found == count), "{error}");
}

#[test]
fn one_more_descriptor_is_a_tenancy_or_an_error() {
    let (sender, receiver) = Connection::pair().unwrap();
    let mut parcel = DeviceBuffer::new(&context(), SIZE).unwrap().share(..).unwrap();
    let lease = parcel.lease().unwrap();
    parcel.send(&sender).unwrap();
    let received = Parcel::receive(&receiver).unwrap();
    assert!(received.tenancy.is_some() && received.ticket == parcel.ticket);
    drop((parcel, received));
    assert!(lease.is_over().unwrap());

    let ticket = DeviceBuffer::new(&context(), SIZE).unwrap().share(..).unwrap().ticket;
    let file = OwnedFd::from(std::fs::File::open("/dev/null").unwrap());
    Parcel { ticket, descriptors: vec![file], tenancy: None }.send(&sender).unwrap();
    assert!(matches!(Parcel::receive(&receiver), Err(Error::Liveness(_))));
}

#[test]
fn what_is_no_ticket_is_no_parcel() {
    let (sender, receiver) = Connection::pair().unwrap();
    sender.send(b"no ticket", &[]).unwrap();
    let error = Parcel::receive(&receiver).unwrap_err();
    assert!(matches!(error, Error::Ticket(TicketError::NoTicket)), "{error}");
    drop(sender);
    assert!(matches!(Parcel::receive(&receiver), Err(Error::Transport(_))));
}

/// The ticket's part is larger than the memory that the handle opens.
#[test]
fn a_part_beyond_the_memory_is_refused() {
    let exporter = Peer::start(module_path!(), "role_shares_both");
    let Parcel { ticket, .. } = Parcel::receive(&exporter.connection).unwrap();
    let mut contents = ticket.into_contents();
    (contents.size, contents.length) = (2 * SIZE as u64, 2 * SIZE as u64);
    let parcel = Parcel::of(contents.try_into().unwrap());
    // SAFETY: the handle is genuine, and the exporter lives.
    let error = unsafe { parcel.open(&context()) }.unwrap_err();
    assert!(matches!(error, Error::OutOfBounds { size: SIZE, .. }), "{error}");
}

#[cfg(feature = "mac")]
#[test]
fn a_sealed_parcel_wants_its_key() {
    use cuda_ipc::ticket::Key;
    let (sender, receiver) = Connection::pair().unwrap();
    let parcel = DeviceBuffer::new(&context(), SIZE).unwrap().share(..).unwrap();
    let (key, other) = (Key::from_bytes([1; 32]), Key::from_bytes([2; 32]));
    for _ in 0..3 {
        parcel.send_sealed(&sender, &key).unwrap();
    }
    assert!(Parcel::receive_sealed(&receiver, &key).unwrap().ticket == parcel.ticket);
    assert!(matches!(Parcel::receive_sealed(&receiver, &other), Err(Error::Ticket(_))));
    assert!(matches!(Parcel::receive(&receiver), Err(Error::Ticket(TicketError::Sealed))));
}

roles! {
    fn role_shares_both(connection) {
        let context = context();
        let buffer = DeviceBuffer::new(&context, SIZE).unwrap();
        let event = InterprocessEvent::new(&context).unwrap();
        buffer.share(..).unwrap().send(&connection).unwrap();
        event.share().unwrap().send(&connection).unwrap();
        wait_for_the_end();
    }
}
