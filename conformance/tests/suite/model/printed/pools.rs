//! Scripts of a model, as it prints them.

use crate::model::prelude::*;

fn script_78() -> Outcome {
    let p0 = Role::new("p0", Placement::device(1))?;
    let p1 = Role::new("p1", Placement::device(0))?;
    let p2 = Role::new("p2", Placement::device(0))?;
    let p3 = Role::new("p3", Placement::device(0))?;
    (|p: &Role| p.mem_pool_export_as(p.mem_pool_create(0)?, DESCRIPTOR,
    0).refused(INVALID_VALUE))(&p2)?;
    let pointer = PointerKind::PinnedMapped.make(&p3)?;
    p3.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    let l1 = p1.mem_pool_create(DESCRIPTOR)?;
    p1.mem_pool_trim_to(l1, 0)?;
    check!(p1.mem_pool_get_access(l1, 0)? == 3);
    check!(p1.mem_pool_get_access(l1, 1)? == 0);
    (|p: &Role| p.mem_pool_import_from_descriptor(Foreign::SharedMemory.make(p)?).refused(&[]))(&p1)?;
    let pointer = PointerKind::Heap.make(&p2)?;
    p2.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    (|p: &Role, it: Pool| p.mem_pool_set_access(it, p.device_get_count()?, READ_WRITE).refused(&[]))(&p1, l1)?;
    check!(p1.mem_pool_get_access(l1, 0)? == 3);
    check!(p1.mem_pool_get_access(l1, 1)? == 0);
    p1.mem_pool_set_access(l1, 1, 3)?;
    check!(p1.mem_pool_get_access(l1, 1)? == 3);
    (|p: &Role, it: Pool| p.mem_pool_set_access(it, -1, READ_WRITE).refused(&[]))(&p1, l1)?;
    check!(p1.mem_pool_get_attribute(l1, 9)? == 1);
    check!(p1.mem_pool_get_attribute(l1, 10)? == 1);
    check!(p1.mem_pool_get_attribute(l1, 12)? == 1);
    check!(p1.mem_pool_get_attribute(l1, 11)? == 0);
    (|p: &Role| p.mem_pool_import_from_descriptor(Foreign::SharedMemory.make(p)?).refused(&[]))(&p1)?;
    let pointer = PointerKind::PinnedMapped.make(&p3)?;
    p3.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    p1.mem_pool_trim_to(l1, 0)?;
    let pointer = PointerKind::Registered.make(&p2)?;
    p2.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    let d2 = p1.mem_pool_export_to_descriptor(l1)?;
    let sent2 = p1.send_descriptor(d2)?;
    p1.close_descriptor(d2)?;
    let d3 = p1.mem_pool_export_to_descriptor(l1)?;
    let sent3 = p1.send_descriptor(d3)?;
    p1.close_descriptor(d3)?;
    let l4 = p0.mem_pool_create(DESCRIPTOR)?;
    let d5 = p1.mem_pool_export_to_descriptor(l1)?;
    let sent5 = p1.send_descriptor(d5)?;
    p1.close_descriptor(d5)?;
    let l6 = p1.mem_pool_create(DESCRIPTOR)?;
    (|p: &Role| p.mem_pool_create_with(DEVICE.at(ON_DEVICE, 0x7fff), 0, 0).refused(&[]))(&p2)?;
    let d7 = p2.receive_descriptor(&sent3)?;
    let l7 = p2.mem_pool_import_from_descriptor(d7)?;
    p2.close_descriptor(d7)?;
    let d8 = p3.receive_descriptor(&sent3)?;
    let l8 = p3.mem_pool_import_from_descriptor(d8)?;
    p3.close_descriptor(d8)?;
    (|p: &Role| {
        p.mem_pool_destroy(p.device_get_default_mem_pool()?).refused(INVALID_VALUE)?;
        p.mem_alloc_async(shared_pool::SIZE).map(drop)
    })(&p2)?;
    let d9 = p1.mem_pool_export_to_descriptor(l6)?;
    let sent9 = p1.send_descriptor(d9)?;
    p1.close_descriptor(d9)?;
    (|p: &Role, it: Pool| p.mem_pool_export_as(it, DESCRIPTOR, 0).refused(&[]))(&p3, l8)?;
    (|p: &Role| p.mem_pool_export_as(p.mem_pool_create(0)?, DESCRIPTOR,
    0).refused(INVALID_VALUE))(&p2)?;
    p0.stop()?;
    (|p: &Role| p.mem_pool_create_with(MemProperties { allocation_type: 0, ..DEVICE }, 0,
    0).refused(&[]))(&p3)?;
    check!(p2.mem_pool_get_attribute(l7, 7)? == 0);
    check!(p2.mem_pool_get_attribute(l7, 8)? >= 0);
    let reserved = p2.mem_pool_get_attribute(l7, 5)?;
    check!(reserved == 0);
    check!(p2.mem_pool_get_attribute(l7, 6)? >= reserved);
    let m10 = p1.mem_alloc_from_pool_async(4194304, l1)?;
    let x11 = p1.mem_pool_export_pointer(m10)?;
    p0.resume()?;
    let l12 = p0.mem_pool_create(DESCRIPTOR)?;
    let d13 = p0.mem_pool_export_to_descriptor(l12)?;
    let sent13 = p0.send_descriptor(d13)?;
    p0.close_descriptor(d13)?;
    let d14 = p1.receive_descriptor(&sent13)?;
    let l14 = p1.mem_pool_import_from_descriptor(d14)?;
    p1.close_descriptor(d14)?;
    p1.mem_pool_set_access(l14, 0, 3)?;
    check!(p1.mem_pool_get_access(l14, 0)? == 3);
    let m15 = p0.mem_alloc_from_pool_async(2097152, l12)?;
    let x16 = p0.mem_pool_export_pointer(m15)?;
    let m17 = p1.mem_pool_import_pointer(l14, x16)?;
    p1.fill(m17, 2097152, 18)?;
    check!(p0.mismatches(m15, 2097152, 18)? == 0);
    p0.fill(m15, 2097152, 19)?;
    check!(p1.mismatches(m17, 2097152, 19)? == 0);
    p1.mem_free_async_and_wait(m17)?;
    p1.read(m17, 4).refused(&[])?;
    check!(p0.mismatches(m15, 2097152, 19)? == 0);
    check!(p0.mismatches(m15, 2097152, 19)? == 0);
    Ok(())
}

fn script_134() -> Outcome {
    let p0 = Role::new("p0", Placement::device(1))?;
    let p1 = Role::new("p1", Placement::device(0))?;
    let p2 = Role::new("p2", Placement::device(1))?;
    let p3 = Role::new("p3", Placement::device(1))?;
    let pointer = PointerKind::Stack.make(&p1)?;
    p1.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    let l1 = p2.mem_pool_create(DESCRIPTOR)?;
    p2.mem_pool_trim_to(l1, 0)?;
    let d2 = p2.mem_pool_export_to_descriptor(l1)?;
    let sent2 = p2.send_descriptor(d2)?;
    p2.close_descriptor(d2)?;
    let m3 = p2.mem_alloc_from_pool_async(4096, l1)?;
    p2.mem_pool_set_access(l1, 0, 3)?;
    check!(p2.mem_pool_get_access(l1, 0)? == 3);
    p2.fill_by_copy(m3, 4096, 4)?;
    let x5 = p2.mem_pool_export_pointer(m3)?;
    let x6 = p2.mem_pool_export_pointer(m3)?;
    let d7 = p3.receive_descriptor(&sent2)?;
    let l7 = p3.mem_pool_import_from_descriptor(d7)?;
    p3.close_descriptor(d7)?;
    let m8 = p3.mem_pool_import_pointer(l7, x5)?;
    check!(p3.mem_pool_get_attribute(l7, 9)? == 1);
    check!(p3.mem_pool_get_attribute(l7, 10)? == 0);
    check!(p3.mem_pool_get_attribute(l7, 12)? == 1);
    check!(p3.mem_pool_get_attribute(l7, 11)? == 1);
    check!(p3.mismatches_by_copy(m8, 4096, 4)? == 0);
    let d9 = p1.receive_descriptor(&sent2)?;
    let l9 = p1.mem_pool_import_from_descriptor(d9)?;
    p1.close_descriptor(d9)?;
    let d10 = p0.receive_descriptor(&sent2)?;
    let l10 = p0.mem_pool_import_from_descriptor(d10)?;
    p0.close_descriptor(d10)?;
    (|p: &Role, it: Pool| {
        p.device_set_mem_pool(it).refused(&[])?;
        p.mem_free_async_and_wait(p.mem_alloc_async(shared_pool::SIZE)?)
    })(&p1, l9)?;
    let second = p3.mem_pool_import_pointer(l7, x6)?;
    p3.mem_free_async_and_wait(second)?;
    p3.read(m8, 4)?;
    let range = p3.mem_get_address_range(m8)?;
    check!(range.base == m8 && range.size >= 4096);
    let inside = p3.mem_get_address_range(m8.offset(4096 - 1))?;
    check!(inside.base == range.base && inside.size == range.size);
    p3.read(range.base.offset(range.size - 1), 1)?;
    let d11 = p2.mem_pool_export_to_descriptor(l1)?;
    let sent11 = p2.send_descriptor(d11)?;
    p2.close_descriptor(d11)?;
    let m12 = p1.mem_pool_import_pointer(l9, x5)?;
    check!(p0.mem_pool_get_attribute(l10, 9)? == 1);
    check!(p0.mem_pool_get_attribute(l10, 10)? == 0);
    check!(p0.mem_pool_get_attribute(l10, 12)? == 1);
    check!(p0.mem_pool_get_attribute(l10, 11)? == 1);
    check!(p3.mem_pool_get_attribute(l7, 7)? == 4096);
    check!(p3.mem_pool_get_attribute(l7, 8)? >= 4096);
    let reserved = p3.mem_pool_get_attribute(l7, 5)?;
    check!(reserved >= 4096);
    check!(p3.mem_pool_get_attribute(l7, 6)? >= reserved);
    (|p: &Role, it: Pool| {
        p.device_set_mem_pool(it).refused(&[])?;
        p.mem_free_async_and_wait(p.mem_alloc_async(shared_pool::SIZE)?)
    })(&p1, l9)?;
    let m13 = p0.mem_pool_import_pointer(l10, x6)?;
    p2.mem_pool_set_access(l1, 0, 3)?;
    check!(p2.mem_pool_get_access(l1, 0)? == 3);
    check!(p2.mismatches(m3, 4096, 4)? == 0);
    let d14 = p2.mem_pool_export_to_descriptor(l1)?;
    let sent14 = p2.send_descriptor(d14)?;
    p2.close_descriptor(d14)?;
    check!(p2.mismatches_by_copy(m3, 4096, 4)? == 0);
    p0.mem_pool_trim_to(l10, 0).recorded("trim")?;
    p3.fill(m8, 4096, 15)?;
    check!(p2.mismatches(m3, 4096, 15)? == 0);
    p2.fill(m3, 4096, 16)?;
    check!(p3.mismatches(m8, 4096, 16)? == 0);
    p3.mem_free_async_and_wait(m8)?;
    p3.read(m8, 4).refused(&[])?;
    check!(p2.mismatches(m3, 4096, 16)? == 0);
    check!(p2.mismatches(m3, 4096, 16)? == 0);
    check!(p0.mismatches(m13, 4096, 16)? == 0);
    Ok(())
}

fn script_138() -> Outcome {
    let p0 = Role::new("p0", Placement::device(0))?;
    let p1 = Role::new("p1", Placement::device(1))?;
    let pointer = PointerKind::DescriptorPool.make(&p0)?;
    p0.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    let pointer = PointerKind::ShareableVirtualMemory.make(&p0)?;
    p0.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    let l1 = p0.mem_pool_create(DESCRIPTOR)?;
    let m2 = p0.mem_alloc_from_pool_async(4096, l1)?;
    check!(p0.mem_pool_get_access(l1, 0)? == 3);
    check!(p0.mem_pool_get_access(l1, 1)? == 0);
    check!(p0.mem_pool_get_attribute(l1, 9)? == 1);
    check!(p0.mem_pool_get_attribute(l1, 10)? == 1);
    check!(p0.mem_pool_get_attribute(l1, 12)? == 1);
    check!(p0.mem_pool_get_attribute(l1, 11)? == 0);
    let m3 = p0.mem_alloc_from_pool_async(4096, l1)?;
    let m4 = p0.mem_alloc_from_pool_async(2097152, l1)?;
    let l5 = p0.mem_pool_create(DESCRIPTOR)?;
    (|p: &Role| {
        let pool = p.mem_pool_create(0)?;
        p.mem_pool_export_as(pool, DESCRIPTOR, 0).refused(&[])?;
        p.mem_pool_export_as(pool, FABRIC, 0).refused(&[])?;
        p.mem_pool_destroy(pool)
    })(&p0)?;
    p0.mem_free_async_and_wait(m4)?;
    let d6 = p0.mem_pool_export_to_descriptor(l1)?;
    let sent6 = p0.send_descriptor(d6)?;
    p0.close_descriptor(d6)?;
    p0.mem_pool_set_access(l5, 1, 0)?;
    check!(p0.mem_pool_get_access(l5, 1)? == 0);
    let d7 = p1.receive_descriptor(&sent6)?;
    let l7 = p1.mem_pool_import_from_descriptor(d7)?;
    p1.close_descriptor(d7)?;
    let m8 = p0.mem_alloc_from_pool_async(65540, l1)?;
    p0.fill(m3, 4096, 9)?;
    p0.mem_free_async_and_wait(m3)?;
    let m10 = p0.mem_alloc_from_pool_async(2097152, l5)?;
    check!(p1.mem_pool_get_attribute(l7, 7)? == 0);
    check!(p1.mem_pool_get_attribute(l7, 8)? >= 0);
    let reserved = p1.mem_pool_get_attribute(l7, 5)?;
    check!(reserved == 0);
    check!(p1.mem_pool_get_attribute(l7, 6)? >= reserved);
    let x11 = p0.mem_pool_export_pointer(m8)?;
    p0.mem_pool_destroy(l5)?;
    (|p: &Role, it: Pool| p.mem_alloc_from_pool_async(shared_pool::SIZE, it).refused(&[]))(&p1, l7)?;
    (|p: &Role| p.mem_pool_import_from_descriptor(Foreign::DevNull.make(p)?).refused(&[]))(&p0)?;
    (|p: &Role, it: Pool| {
        if need(&Needs::none().gpus(2).peer_access()).is_err() { return Ok(()); }
        let before = p.mem_pool_get_access(it, 1)?; let wanted =
        vec![(1, READ_WRITE - before), (0, NONE)];
        p.mem_pool_set_access_of_each(it, wanted).refused(INVALID_DEVICE)?;
        check!(p.mem_pool_get_access(it, 1)? == before); Ok(())
    })(&p0, l1)?;
    p0.mem_free_async_and_wait(m10)?;
    let d12 = p0.mem_pool_export_to_descriptor(l1)?;
    let sent12 = p0.send_descriptor(d12)?;
    p0.close_descriptor(d12)?;
    check!(p1.mem_pool_get_attribute(l7, 7)? == 0);
    check!(p1.mem_pool_get_attribute(l7, 8)? >= 0);
    let reserved = p1.mem_pool_get_attribute(l7, 5)?;
    check!(reserved == 0);
    check!(p1.mem_pool_get_attribute(l7, 6)? >= reserved);
    let l13 = p0.mem_pool_create(DESCRIPTOR)?;
    let d14 = p0.mem_pool_export_to_descriptor(l13)?;
    let sent14 = p0.send_descriptor(d14)?;
    p0.close_descriptor(d14)?;
    let d15 = p1.receive_descriptor(&sent14)?;
    let l15 = p1.mem_pool_import_from_descriptor(d15)?;
    p1.close_descriptor(d15)?;
    p1.mem_pool_set_access(l15, 1, 3)?;
    check!(p1.mem_pool_get_access(l15, 1)? == 3);
    let m16 = p0.mem_alloc_from_pool_async(2097152, l13)?;
    let x17 = p0.mem_pool_export_pointer(m16)?;
    let m18 = p1.mem_pool_import_pointer(l15, x17)?;
    p1.fill(m18, 2097152, 19)?;
    check!(p0.mismatches(m16, 2097152, 19)? == 0);
    p0.fill(m16, 2097152, 20)?;
    check!(p1.mismatches(m18, 2097152, 20)? == 0);
    p1.mem_free_async_and_wait(m18)?;
    p1.read(m18, 4).refused(&[])?;
    check!(p0.mismatches(m16, 2097152, 20)? == 0);
    check!(p0.mismatches(m16, 2097152, 20)? == 0);
    Ok(())
}

fn script_215() -> Outcome {
    let p0 = Role::new("p0", Placement::device(1))?;
    let p1 = Role::new("p1", Placement::device(0))?;
    let p2 = Role::new("p2", Placement::device(1))?;
    (|p: &Role| {
        for (reset, other) in [(RESERVED, USED), (USED, RESERVED)]
        {
            let pool = p.mem_pool_create(0)?; let get = |attribute: Attribute|
            p.mem_pool_get_attribute(pool, attribute.0);
            p.mem_free_async_and_wait(p.mem_alloc_from_pool_async(shared_pool::SIZE,
            pool)?)?; let (highest, others) =
            (get(reset.high)?, get(other.high)?);
            check!(highest >= shared_pool::SIZE); for value in
            [1, 1 << 32, u64::MAX]
            {
                p.mem_pool_set_attribute(pool, reset.high.0,
                value).refused(INVALID_VALUE)?;
            } check!(get(reset.high)? == highest);
            p.mem_pool_set_attribute(pool, reset.high.0, 0)?;
            check!(get(reset.high)? <= get(reset.current)?);
            check!(get(other.high)? == others);
        } Ok(())
    })(&p1)?;
    let pointer = PointerKind::ShareableVirtualMemory.make(&p1)?;
    p1.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    let pointer = PointerKind::ShareableVirtualMemory.make(&p1)?;
    p1.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    let pointer = PointerKind::VirtualMemory.make(&p1)?;
    p1.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    let l1 = p2.mem_pool_create(DESCRIPTOR)?;
    p2.mem_pool_trim_to(l1, 0)?;
    let pointer = PointerKind::Heap.make(&p1)?;
    p1.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    let d2 = p2.mem_pool_export_to_descriptor(l1)?;
    let sent2 = p2.send_descriptor(d2)?;
    p2.close_descriptor(d2)?;
    p2.mem_pool_trim_to(l1, 0)?;
    p2.mem_pool_set_access(l1, 0, 0)?;
    check!(p2.mem_pool_get_access(l1, 0)? == 0);
    let d3 = p1.receive_descriptor(&sent2)?;
    let l3 = p1.mem_pool_import_from_descriptor(d3)?;
    p1.close_descriptor(d3)?;
    check!(p1.mem_pool_get_attribute(l3, 7)? == 0);
    check!(p1.mem_pool_get_attribute(l3, 8)? >= 0);
    let reserved = p1.mem_pool_get_attribute(l3, 5)?;
    check!(reserved == 0);
    check!(p1.mem_pool_get_attribute(l3, 6)? >= reserved);
    let d4 = p2.mem_pool_export_to_descriptor(l1)?;
    let sent4 = p2.send_descriptor(d4)?;
    p2.close_descriptor(d4)?;
    check!(p2.mem_pool_get_attribute(l1, 9)? == 1);
    check!(p2.mem_pool_get_attribute(l1, 10)? == 1);
    check!(p2.mem_pool_get_attribute(l1, 12)? == 1);
    check!(p2.mem_pool_get_attribute(l1, 11)? == 1);
    let d5 = p2.mem_pool_export_to_descriptor(l1)?;
    let sent5 = p2.send_descriptor(d5)?;
    p2.close_descriptor(d5)?;
    let m6 = p2.mem_alloc_from_pool_async(4194304, l1)?;
    p2.fill(m6, 4194304, 7)?;
    let d8 = p0.receive_descriptor(&sent5)?;
    let l8 = p0.mem_pool_import_from_descriptor(d8)?;
    p0.close_descriptor(d8)?;
    let x9 = p2.mem_pool_export_pointer(m6)?;
    let m10 = p2.mem_alloc_from_pool_async(4194304, l1)?;
    p2.mem_free_async_and_wait(m6)?;
    (|p: &Role| p.mem_alloc_from_pool_async(8 * MIB,
    p.mem_pool_create_with(DEVICE, 8 * MIB, 0)?).map(drop))(&p1)?;
    let x11 = p2.mem_pool_export_pointer(m10)?;
    let m12 = p2.mem_alloc_from_pool_async(2097152, l1)?;
    let m13 = p1.mem_pool_import_pointer(l3, x11)?;
    p1.mem_pool_set_access(l3, 0, 0)?;
    check!(p1.mem_pool_get_access(l3, 0)? == 0);
    let m14 = p2.mem_alloc_from_pool_async(4096, l1)?;
    p2.mem_free_async_and_wait(m12)?;
    let l15 = p1.mem_pool_create(DESCRIPTOR)?;
    (|p: &Role| p.mem_pool_create_with(DEVICE.at(0, 0), 0, 0).refused(&[]))(&p1)?;
    (|p: &Role, it: Pool| {
        p.device_set_mem_pool(it).refused(&[])?;
        p.mem_free_async_and_wait(p.mem_alloc_async(shared_pool::SIZE)?)
    })(&p0, l8)?;
    let m16 = p1.mem_alloc_from_pool_async(4194304, l15)?;
    (|p: &Role, it: Pool| p.mem_alloc_from_pool_async(shared_pool::SIZE, it).refused(&[]))(&p1, l3)?;
    (|p: &Role| {
        let descriptor =
        p.mem_pool_export_to_descriptor(p.mem_pool_create(DESCRIPTOR)?)?; for
        (handle_type, flags) in
        [(DESCRIPTOR, 1), (DESCRIPTOR, 1 << 32), (0, 0), (0x4000, 0)]
        {
            p.mem_pool_import_as(descriptor, handle_type,
            flags).refused(INVALID_VALUE)?;
        } p.mem_pool_import_into_null(descriptor).refused(INVALID_VALUE)
    })(&p1)?;
    p0.mem_pool_set_access(l8, 0, 0)?;
    check!(p0.mem_pool_get_access(l8, 0)? == 0);
    (|p: &Role| {
        let is_new = need(&Needs::none().cuda(13_000).managed_memory()).is_ok();
        for (handle_types, maximum) in
        [(DESCRIPTOR, 0), (0, 64 * MIB)].into_iter().filter(|_| is_new)
        {
            p.mem_pool_create_with(MANAGED.exportable(handle_types), maximum,
            0).refused(&[])?;
        } Ok(())
    })(&p1)?;
    let m17 = p0.mem_pool_import_pointer(l8, x11)?;
    (|p: &Role| {
        p.mem_pool_destroy(p.device_get_default_mem_pool()?).refused(INVALID_VALUE)?;
        p.mem_alloc_async(shared_pool::SIZE).map(drop)
    })(&p1)?;
    p0.fill(m17, 4194304, 18)?;
    check!(p2.mismatches(m10, 4194304, 18)? == 0);
    p2.fill(m10, 4194304, 19)?;
    check!(p0.mismatches(m17, 4194304, 19)? == 0);
    p0.mem_free_async_and_wait(m17)?;
    p0.read(m17, 4).refused(&[])?;
    check!(p2.mismatches(m10, 4194304, 19)? == 0);
    check!(p2.mismatches(m10, 4194304, 19)? == 0);
    Ok(())
}

fn script_240() -> Outcome {
    let p0 = Role::new("p0", Placement::device(0))?;
    let p1 = Role::new("p1", Placement::device(1))?;
    let p2 = Role::new("p2", Placement::device(1))?;
    let pointer = PointerKind::Null.make(&p0)?;
    p0.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    let pointer = PointerKind::ShareableVirtualMemory.make(&p0)?;
    p0.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    (|p: &Role| {
        p.mem_pool_destroy(p.device_get_default_mem_pool()?).refused(INVALID_VALUE)?;
        p.mem_alloc_async(shared_pool::SIZE).map(drop)
    })(&p0)?;
    (|p: &Role| p.mem_pool_create_with(DEVICE.at(HOST_NUMA_CURRENT, 0), 0,
    0).refused(INVALID_VALUE))(&p0)?;
    p2.exec()?;
    let l1 = p0.mem_pool_create(DESCRIPTOR)?;
    let m2 = p0.mem_alloc_from_pool_async(2097152, l1)?;
    (|p: &Role| p.mem_pool_export_as(p.device_get_default_mem_pool()?, DESCRIPTOR,
    0).refused(&[]))(&p0)?;
    p0.mem_pool_trim_to(l1, 0)?;
    p0.fill(m2, 2097152, 3)?;
    (|p: &Role| {
        p.graph_add_mem_alloc_node(shared_pool::SIZE, 0)?;
        p.graph_add_mem_alloc_node(shared_pool::SIZE, DESCRIPTOR).refused(&[])
    })(&p0)?;
    p0.mem_pool_destroy(l1)?;
    (|p: &Role| {
        p.graph_add_mem_alloc_node(shared_pool::SIZE, 0)?;
        p.graph_add_mem_alloc_node(shared_pool::SIZE, DESCRIPTOR).refused(&[])
    })(&p0)?;
    let pointer = PointerKind::Linear.make(&p0)?;
    p0.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    p0.mem_free_async_and_wait(m2)?;
    let l4 = p2.mem_pool_create(DESCRIPTOR)?;
    let pointer = PointerKind::GraphOwned.make(&p0)?;
    p0.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    p2.mem_pool_trim_to(l4, 0)?;
    (|p: &Role| {
        let supported = p.device_get_attribute(SUPPORTED, 0)?.cast_unsigned(); for
        handle_type in [1, 2, 4]
        {
            let created = p.mem_pool_create(handle_type); match supported &
            handle_type
            {
                0 => created.refused(&[]).map(drop)?, _ =>
                p.mem_alloc_from_pool_async(shared_pool::SIZE,
                created?).map(drop)?,
            }
        } Ok(())
    })(&p0)?;
    let m5 = p2.mem_alloc_from_pool_async(65540, l4)?;
    p2.mem_pool_destroy(l4)?;
    let l6 = p2.mem_pool_create(DESCRIPTOR)?;
    p2.mem_pool_set_access(l6, 0, 0)?;
    check!(p2.mem_pool_get_access(l6, 0)? == 0);
    let pointer = PointerKind::Pinned.make(&p0)?;
    p0.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    p2.mem_pool_trim_to(l6, 0)?;
    (|p: &Role| p.mem_pool_import_from_descriptor(Foreign::Negative.make(p)?).refused(&[]))(&p0)?;
    (|p: &Role| p.mem_pool_create_with(MemProperties { allocation_type: 0, ..DEVICE }, 0,
    0).refused(&[]))(&p0)?;
    p0.exit()?;
    let p0 = Role::new("p0", Placement::device(0))?;
    let m7 = p2.mem_alloc_from_pool_async(4096, l6)?;
    let d8 = p2.mem_pool_export_to_descriptor(l6)?;
    let sent8 = p2.send_descriptor(d8)?;
    p2.close_descriptor(d8)?;
    (|p: &Role| {
        if need(&Needs::none().gpus(2).peer_access()).is_err() { return Ok(()); }
        let (own, peer) =
        (p.ctx_get_current()?, p.device_primary_ctx_retain_of(1)?); let pointer =
        p.mem_alloc_from_pool_async(shared_pool::SIZE, p.mem_pool_create(0)?)?;
        p.ctx_set_current(Some(peer))?; p.ctx_enable_peer_access(own)?;
        p.read(pointer, 4).refused(INVALID_VALUE)?;
        p.ctx_disable_peer_access(own)?; p.ctx_set_current(Some(own))
    })(&p0)?;
    let x9 = p2.mem_pool_export_pointer(m7)?;
    p2.fill(m7, 4096, 10)?;
    let pointer = PointerKind::Pinned.make(&p0)?;
    p0.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    p2.mem_pool_set_access(l6, 0, 0)?;
    check!(p2.mem_pool_get_access(l6, 0)? == 0);
    let l11 = p0.mem_pool_create(DESCRIPTOR)?;
    let d12 = p0.mem_pool_export_to_descriptor(l11)?;
    let sent12 = p0.send_descriptor(d12)?;
    p0.close_descriptor(d12)?;
    let d13 = p1.receive_descriptor(&sent12)?;
    let l13 = p1.mem_pool_import_from_descriptor(d13)?;
    p1.close_descriptor(d13)?;
    p1.mem_pool_set_access(l13, 1, 3)?;
    check!(p1.mem_pool_get_access(l13, 1)? == 3);
    let m14 = p0.mem_alloc_from_pool_async(2097152, l11)?;
    let x15 = p0.mem_pool_export_pointer(m14)?;
    let m16 = p1.mem_pool_import_pointer(l13, x15)?;
    p1.fill(m16, 2097152, 17)?;
    check!(p0.mismatches(m14, 2097152, 17)? == 0);
    p0.fill(m14, 2097152, 18)?;
    check!(p1.mismatches(m16, 2097152, 18)? == 0);
    p1.mem_free_async_and_wait(m16)?;
    p1.read(m16, 4).refused(&[])?;
    check!(p0.mismatches(m14, 2097152, 18)? == 0);
    check!(p2.mismatches(m7, 4096, 10)? == 0);
    check!(p0.mismatches(m14, 2097152, 18)? == 0);
    Ok(())
}

fn script_371() -> Outcome {
    let p0 = Role::new("p0", Placement::device(0))?;
    let p1 = Role::new("p1", Placement::device(0))?;
    (|p: &Role| {
        p.graph_add_mem_alloc_node(shared_pool::SIZE, 0)?;
        p.graph_add_mem_alloc_node(shared_pool::SIZE, DESCRIPTOR).refused(&[])
    })(&p1)?;
    (|p: &Role| p.mem_pool_create_with(DEVICE.at(ON_DEVICE, -1), 0, 0).refused(&[]))(&p0)?;
    (|p: &Role| {
        p.graph_add_mem_alloc_node(shared_pool::SIZE, 0)?;
        p.graph_add_mem_alloc_node(shared_pool::SIZE, DESCRIPTOR).refused(&[])
    })(&p1)?;
    let pointer = PointerKind::PinnedMapped.make(&p0)?;
    p0.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    (|p: &Role| {
        let descriptor =
        p.mem_pool_export_to_descriptor(p.mem_pool_create(DESCRIPTOR)?)?;
        p.mem_pool_import_from_address_of_descriptor(descriptor).refused(&[])
    })(&p1)?;
    (|p: &Role| {
        p.mem_pool_destroy(p.device_get_default_mem_pool()?).refused(INVALID_VALUE)?;
        p.mem_alloc_async(shared_pool::SIZE).map(drop)
    })(&p0)?;
    (|p: &Role| p.mem_pool_export_as(p.mem_pool_create(0)?, DESCRIPTOR,
    0).refused(INVALID_VALUE))(&p0)?;
    let l1 = p0.mem_pool_create(DESCRIPTOR)?;
    let m2 = p0.mem_alloc_from_pool_async(4194304, l1)?;
    check!(p0.mem_pool_get_access(l1, 0)? == 3);
    check!(p0.mem_pool_get_access(l1, 1)? == 0);
    p0.fill_by_copy(m2, 4194304, 3)?;
    let pointer = PointerKind::Linear.make(&p1)?;
    p1.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    p0.mem_pool_set_access(l1, 1, 3)?;
    check!(p0.mem_pool_get_access(l1, 1)? == 3);
    p0.mem_pool_trim_to(l1, 0)?;
    p0.mem_pool_export_pointer(m2).refused(INVALID_VALUE)?;
    check!(p0.mem_pool_get_access(l1, 0)? == 3);
    check!(p0.mem_pool_get_access(l1, 1)? == 3);
    p0.mem_free_async_and_wait(m2)?;
    p0.mem_pool_set_access(l1, 1, 3)?;
    check!(p0.mem_pool_get_access(l1, 1)? == 3);
    p0.mem_pool_destroy(l1)?;
    (|p: &Role| {
        let (maximum, pool) =
        (64 * MIB, p.mem_pool_create_with(DEVICE, 64 * MIB, 0)?); let first =
        p.mem_alloc_from_pool_async(maximum / 2, pool)?;
        p.mem_alloc_from_pool_async(maximum / 2, pool)?;
        p.mem_alloc_from_pool_async(maximum / 2, pool).refused(OUT_OF_MEMORY)?;
        p.mem_free_async_and_wait(first)?;
        p.mem_alloc_from_pool_async(maximum / 2, pool).map(drop)
    })(&p0)?;
    (|p: &Role| {
        let is_new = need(&Needs::none().cuda(13_000)).is_ok(); let create = ||
        p.mem_pool_create_with(DEVICE.at(HOST, 0).exportable(DESCRIPTOR), 0, 0);
        if is_new { create().refused(INVALID_VALUE) } else { Ok(()) }
    })(&p0)?;
    (|p: &Role| {
        let is_new = need(&Needs::none().cuda(13_000)).is_ok(); let create = ||
        p.mem_pool_create_with(DEVICE.at(HOST, 0).exportable(DESCRIPTOR), 0, 0);
        if is_new { create().refused(INVALID_VALUE) } else { Ok(()) }
    })(&p1)?;
    (|p: &Role| p.mem_pool_create_with(DEVICE, 0, 1).refused(&[]))(&p0)?;
    let pointer = PointerKind::Linear.make(&p1)?;
    p1.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    (|p: &Role| p.mem_pool_export_as(Pool::NULL, DESCRIPTOR, 0).refused(INVALID_VALUE))(&p0)?;
    let l5 = p1.mem_pool_create(DESCRIPTOR)?;
    let m6 = p1.mem_alloc_from_pool_async(65540, l5)?;
    let pointer = PointerKind::ShareableVirtualMemory.make(&p0)?;
    p0.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)?;
    let d7 = p1.mem_pool_export_to_descriptor(l5)?;
    let sent7 = p1.send_descriptor(d7)?;
    p1.close_descriptor(d7)?;
    let d8 = p1.mem_pool_export_to_descriptor(l5)?;
    let sent8 = p1.send_descriptor(d8)?;
    p1.close_descriptor(d8)?;
    p1.fill(m6, 65540, 9)?;
    p1.mem_free_async_and_wait(m6)?;
    (|p: &Role| {
        let [one, other] =
        [p.mem_pool_create(DESCRIPTOR)?, p.mem_pool_create(DESCRIPTOR)?]; let
        pointer = p.mem_alloc_from_pool_async(shared_pool::SIZE, other)?;
        p.mem_pool_export_to_descriptor(one)?;
        p.mem_pool_export_pointer(pointer).refused(INVALID_VALUE)
    })(&p0)?;
    let l10 = p0.mem_pool_create(DESCRIPTOR)?;
    let d11 = p0.mem_pool_export_to_descriptor(l10)?;
    let sent11 = p0.send_descriptor(d11)?;
    p0.close_descriptor(d11)?;
    let d12 = p1.receive_descriptor(&sent11)?;
    let l12 = p1.mem_pool_import_from_descriptor(d12)?;
    p1.close_descriptor(d12)?;
    let m13 = p0.mem_alloc_from_pool_async(2097152, l10)?;
    let x14 = p0.mem_pool_export_pointer(m13)?;
    let m15 = p1.mem_pool_import_pointer(l12, x14)?;
    p1.fill(m15, 2097152, 16)?;
    check!(p0.mismatches(m13, 2097152, 16)? == 0);
    p0.fill(m13, 2097152, 17)?;
    check!(p1.mismatches(m15, 2097152, 17)? == 0);
    p1.mem_free_async_and_wait(m15)?;
    p1.read(m15, 4).refused(&[])?;
    check!(p0.mismatches(m13, 2097152, 17)? == 0);
    check!(p0.mismatches(m13, 2097152, 17)? == 0);
    Ok(())
}
