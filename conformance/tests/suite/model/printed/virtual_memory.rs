//! Scripts of a model, as it prints them.

use crate::model::prelude::*;

fn script_10() -> Outcome {
    let p0 = Role::new("p0", Placement::device(0))?;
    let p1 = Role::new("p1", Placement::device(1))?;
    (|p: &Role| p.mem_map(Pointer::NULL, SIZE, 0, create(p)?, 0).refused(INVALID_VALUE))(&p0)?;
    let v1 = p0.mem_create(2097152, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    (|p: &Role| p.mem_import_from_descriptor(Descriptor(-1)).refused(&[]))(&p0)?;
    let v2 = p0.mem_create(4194304, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    (|p: &Role| p.mem_create(SIZE, DEVICE.exportable(WIN32), 0).refused(&[]))(&p0)?;
    let m3 = p0.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p0.mem_map(m3, 2097152, 0, v1, 0)?;
    check!(p0.mem_get_access(m3, 0)? == 0);
    (|p: &Role| {
        for (device, handle_types) in
        [(0, 0), (0, DESCRIPTOR), (p.device_get_count()? - 1, DESCRIPTOR)]
        {
            let properties =
            conformance::MemProperties::device(device).exportable(handle_types);
            let minimum = p.mem_get_allocation_granularity(properties, 0)?; let
            recommended = p.mem_get_allocation_granularity(properties, 1)?;
            check!(minimum.is_power_of_two() && recommended.is_power_of_two() &&
            recommended >= minimum);
        } Ok(())
    })(&p0)?;
    p0.mem_set_access(m3, 2097152, 0, 3)?;
    for offset in [0, 2097152 - 1] {
        check!(p0.mem_get_access(m3.offset(offset), 0)? == 3);
    }
    p0.mem_set_access(m3, 2097152, 0, 0)?;
    for offset in [0, 2097152 - 1] {
        check!(p0.mem_get_access(m3.offset(offset), 0)? == 0);
    }
    let m4 = p0.mem_address_reserve(4194304, 0, Pointer::NULL, 0)?;
    p0.mem_map(m4, 4194304, 0, v2, 0)?;
    check!(p0.mem_get_access(m4, 0)? == 0);
    p0.mem_set_access(m4, 4194304, 0, 3)?;
    for offset in [0, 4194304 - 1] {
        check!(p0.mem_get_access(m4.offset(offset), 0)? == 3);
    }
    let d5 = p0.mem_export_to_descriptor(v2)?;
    let sent5 = p0.send_descriptor(d5)?;
    p0.close_descriptor(d5)?;
    p0.mem_set_access(m3, 2097152, 0, 3)?;
    for offset in [0, 2097152 - 1] {
        check!(p0.mem_get_access(m3.offset(offset), 0)? == 3);
    }
    (|p: &Role, it: Physical| p.mem_export_as(it, DESCRIPTOR | FABRIC, 0).refused(INVALID_VALUE))(&p0, v1)?;
    p0.fill(m4, 4194304, 6)?;
    p0.fill(m3, 2097152, 7)?;
    p0.mem_set_access(m4, 4194304, 0, 3)?;
    for offset in [0, 4194304 - 1] {
        check!(p0.mem_get_access(m4.offset(offset), 0)? == 3);
    }
    p0.fill_by_copy(m4, 4194304, 8)?;
    (|p: &Role, it: Pointer| p.mem_map(it, 2 * MIB, 0, p.mem_create(2 * MIB, DEVICE, 0)?, 0).refused(&[]))(&p0, m4)?;
    p0.mem_set_access(m3, 2097152, 0, 3)?;
    for offset in [0, 2097152 - 1] {
        check!(p0.mem_get_access(m3.offset(offset), 0)? == 3);
    }
    let m9 = p0.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p0.mem_map(m9, 2097152, 0, v1, 0)?;
    check!(p0.mem_get_access(m9, 0)? == 0);
    (|p: &Role, it: Physical| {
        let [one, other] =
        [p.mem_export_to_descriptor(it)?, p.mem_export_to_descriptor(it)?];
        check!(one != other); p.close_descriptor(one)?; let imported =
        p.mem_import_from_descriptor(other)?; p.close_descriptor(other)?;
        p.mem_release(imported)
    })(&p0, v2)?;
    p0.fill(m3, 2097152, 10)?;
    let d11 = p0.receive_descriptor(&sent5)?;
    let v11 = p0.mem_import_from_descriptor(d11)?;
    p0.close_descriptor(d11)?;
    (|p: &Role, it: Physical| p.mem_export_as(it, 0, 0).refused(INVALID_VALUE))(&p0, v1)?;
    let d12 = p0.mem_export_to_descriptor(v1)?;
    let sent12 = p0.send_descriptor(d12)?;
    p0.close_descriptor(d12)?;
    (|p: &Role| p.mem_create(2 * MIB + 4 * KIB, DEVICE, 0).refused(INVALID_VALUE))(&p0)?;
    let m13 = p0.mem_address_reserve(4194304, 0, Pointer::NULL, 0)?;
    p0.mem_map(m13, 4194304, 0, v11, 0)?;
    check!(p0.mem_get_access(m13, 0)? == 0);
    let d14 = p0.mem_export_to_descriptor(v2)?;
    let sent14 = p0.send_descriptor(d14)?;
    p0.close_descriptor(d14)?;
    p0.read(m9, 4).refused(&[])?;
    p0.write(m9, vec![1; 4]).refused(&[])?;
    (|p: &Role| {
        p.mem_create(SIZE, DEVICE.at(DEVICE.location_type, p.device_get_count()?),
        0).refused(NO_SUCH_DEVICE)
    })(&p0)?;
    p0.mem_set_access(m3, 2097152, 0, 0)?;
    for offset in [0, 2097152 - 1] {
        check!(p0.mem_get_access(m3.offset(offset), 0)? == 0);
    }
    p0.fill(m4, 4194304, 15)?;
    p0.mem_set_access(m3, 2097152, 0, 1)?;
    for offset in [0, 2097152 - 1] {
        check!(p0.mem_get_access(m3.offset(offset), 0)? == 1);
    }
    let v16 = p0.mem_create(2097152, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    let d17 = p0.mem_export_to_descriptor(v16)?;
    let sent17 = p0.send_descriptor(d17)?;
    p0.close_descriptor(d17)?;
    let d18 = p1.receive_descriptor(&sent17)?;
    let v18 = p1.mem_import_from_descriptor(d18)?;
    p1.close_descriptor(d18)?;
    let m19 = p1.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p1.mem_map(m19, 2097152, 0, v18, 0)?;
    check!(p1.mem_get_access(m19, 1)? == 0);
    p1.mem_set_access(m19, 2097152, 1, 3)?;
    for offset in [0, 2097152 - 1] {
        check!(p1.mem_get_access(m19.offset(offset), 1)? == 3);
    }
    let m20 = p0.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p0.mem_map(m20, 2097152, 0, v16, 0)?;
    check!(p0.mem_get_access(m20, 0)? == 0);
    p0.mem_set_access(m20, 2097152, 0, 3)?;
    for offset in [0, 2097152 - 1] {
        check!(p0.mem_get_access(m20.offset(offset), 0)? == 3);
    }
    p1.fill(m19, 2097152, 21)?;
    check!(p0.mismatches(m20, 2097152, 21)? == 0);
    p0.fill(m20, 2097152, 22)?;
    check!(p1.mismatches(m19, 2097152, 22)? == 0);
    p0.mem_unmap(m20, 2097152)?;
    p0.read(m20, 4).refused(&[])?;
    p0.mem_address_free(m20, 2097152)?;
    p0.mem_release(v16)?;
    check!(p1.mismatches(m19, 2097152, 22)? == 0);
    let m23 = p1.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p1.mem_map(m23, 2097152, 0, v18, 0)?;
    check!(p1.mem_get_access(m23, 1)? == 0);
    p1.mem_set_access(m23, 2097152, 1, 3)?;
    for offset in [0, 2097152 - 1] {
        check!(p1.mem_get_access(m23.offset(offset), 1)? == 3);
    }
    p1.mem_release(v18)?;
    p1.mem_unmap(m19, 2097152)?;
    p1.read(m19, 4).refused(&[])?;
    p1.mem_address_free(m19, 2097152)?;
    check!(p1.mismatches(m23, 2097152, 22)? == 0);
    check!(p0.mismatches(m3, 2097152, 10)? == 0);
    check!(p0.mismatches(m4, 4194304, 15)? == 0);
    check!(p1.mismatches(m23, 2097152, 22)? == 0);
    Ok(())
}

fn script_203() -> Outcome {
    let p0 = Role::new("p0", Placement::device(0))?;
    let p1 = Role::new("p1", Placement::device(1))?;
    let v1 = p0.mem_create(2097152, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    let m2 = p0.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p0.mem_map(m2, 2097152, 0, v1, 0)?;
    check!(p0.mem_get_access(m2, 0)? == 0);
    p1.stop()?;
    (|p: &Role, it: Physical| p.mem_export_as(it, DESCRIPTOR | FABRIC, 0).refused(INVALID_VALUE))(&p0, v1)?;
    (|p: &Role| p.mem_create(SIZE, DEVICE.at(HOST, 0).exportable(DESCRIPTOR),
    0).refused(INVALID_VALUE))(&p0)?;
    p0.mem_unmap(m2, 2097152)?;
    p0.read(m2, 4).refused(&[])?;
    p0.mem_address_free(m2, 2097152)?;
    p1.resume()?;
    p0.mem_release(v1)?;
    (|p: &Role| p.mem_map(reserve(p, SIZE)?, SIZE, 0, create(p)?, 1).refused(INVALID_VALUE))(&p0)?;
    (|p: &Role| p.mem_create(SIZE, DEVICE, 2).refused(INVALID_VALUE))(&p0)?;
    (|p: &Role| p.mem_create(SIZE, DEVICE, 1).refused(INVALID_VALUE))(&p0)?;
    (|p: &Role| p.mem_map(reserve(p, 2 * SIZE)?.offset(4 * KIB), SIZE, 0, create(p)?,
    0).refused(REFUSED))(&p0)?;
    (|p: &Role| {
        p.mem_map(reserve(p, SIZE)?.offset(2 * MIB), SIZE, 0, create(p)?,
        0).refused(INVALID_VALUE)
    })(&p0)?;
    let v3 = p0.mem_create(2097152, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    let (found, expected) = (p0.mem_get_allocation_properties(v3)?, MemProperties::device(0));
    check!((found.allocation_type, found.location_type) == (expected.allocation_type, expected.location_type));
    check!(found.location == expected.location);
    (|p: &Role| p.mem_create(2 * MIB + 4 * KIB, DEVICE, 0).refused(INVALID_VALUE))(&p0)?;
    (|p: &Role, it: Physical| p.mem_export_as(it, DESCRIPTOR, 1 << 32).refused(INVALID_VALUE))(&p0, v3)?;
    let m4 = p0.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p0.mem_map(m4, 2097152, 0, v3, 0)?;
    check!(p0.mem_get_access(m4, 0)? == 0);
    p0.mem_set_access(m4, 2097152, 0, 3)?;
    for offset in [0, 2097152 - 1] {
        check!(p0.mem_get_access(m4.offset(offset), 0)? == 3);
    }
    p0.fill(m4, 2097152, 5)?;
    let m6 = p0.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p0.mem_map(m6, 2097152, 0, v3, 0)?;
    check!(p0.mem_get_access(m6, 0)? == 0);
    (|p: &Role| p.mem_map(reserve(p, 2 * SIZE)?.offset(MIB), SIZE, 0, create(p)?,
    0).refused(REFUSED))(&p0)?;
    (|p: &Role| p.mem_import_from_descriptor(Descriptor(-1)).refused(&[]))(&p0)?;
    let d7 = p0.mem_export_to_descriptor(v3)?;
    let sent7 = p0.send_descriptor(d7)?;
    p0.close_descriptor(d7)?;
    p0.fill(m4, 2097152, 8)?;
    check!(p0.mismatches_by_copy(m4, 2097152, 8)? == 0);
    let v9 = p0.mem_retain_allocation_handle(m4)?;
    let d10 = p1.receive_descriptor(&sent7)?;
    let v10 = p1.mem_import_from_descriptor(d10)?;
    p1.close_descriptor(d10)?;
    let d11 = p0.mem_export_to_descriptor(v3)?;
    let sent11 = p0.send_descriptor(d11)?;
    p0.close_descriptor(d11)?;
    let d12 = p1.receive_descriptor(&sent11)?;
    let v12 = p1.mem_import_from_descriptor(d12)?;
    p1.close_descriptor(d12)?;
    let m13 = p0.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p0.mem_map(m13, 2097152, 0, v9, 0)?;
    check!(p0.mem_get_access(m13, 0)? == 0);
    p1.mem_release(v12)?;
    let d14 = p0.mem_export_to_descriptor(v3)?;
    let sent14 = p0.send_descriptor(d14)?;
    p0.close_descriptor(d14)?;
    let m15 = p1.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p1.mem_map(m15, 2097152, 0, v10, 0)?;
    check!(p1.mem_get_access(m15, 1)? == 0);
    p1.mem_set_access(m15, 2097152, 1, 3)?;
    for offset in [0, 2097152 - 1] {
        check!(p1.mem_get_access(m15.offset(offset), 1)? == 3);
    }
    let m16 = p0.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p0.mem_map(m16, 2097152, 0, v3, 0)?;
    check!(p0.mem_get_access(m16, 0)? == 0);
    p0.mem_set_access(m16, 2097152, 0, 3)?;
    for offset in [0, 2097152 - 1] {
        check!(p0.mem_get_access(m16.offset(offset), 0)? == 3);
    }
    p1.fill(m15, 2097152, 17)?;
    check!(p0.mismatches(m16, 2097152, 17)? == 0);
    p0.fill(m16, 2097152, 18)?;
    check!(p1.mismatches(m15, 2097152, 18)? == 0);
    p0.mem_unmap(m4, 2097152)?;
    p0.read(m4, 4).refused(&[])?;
    p0.mem_address_free(m4, 2097152)?;
    p0.mem_unmap(m6, 2097152)?;
    p0.read(m6, 4).refused(&[])?;
    p0.mem_address_free(m6, 2097152)?;
    p0.mem_unmap(m13, 2097152)?;
    p0.read(m13, 4).refused(&[])?;
    p0.mem_address_free(m13, 2097152)?;
    p0.mem_unmap(m16, 2097152)?;
    p0.read(m16, 4).refused(&[])?;
    p0.mem_address_free(m16, 2097152)?;
    p0.mem_release(v3)?;
    p0.mem_release(v9)?;
    check!(p1.mismatches(m15, 2097152, 18)? == 0);
    let m19 = p1.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p1.mem_map(m19, 2097152, 0, v10, 0)?;
    check!(p1.mem_get_access(m19, 1)? == 0);
    p1.mem_set_access(m19, 2097152, 1, 3)?;
    for offset in [0, 2097152 - 1] {
        check!(p1.mem_get_access(m19.offset(offset), 1)? == 3);
    }
    p1.mem_release(v10)?;
    p1.mem_unmap(m15, 2097152)?;
    p1.read(m15, 4).refused(&[])?;
    p1.mem_address_free(m15, 2097152)?;
    check!(p1.mismatches(m19, 2097152, 18)? == 0);
    check!(p1.mismatches(m19, 2097152, 18)? == 0);
    Ok(())
}

fn script_301() -> Outcome {
    let p0 = Role::new("p0", Placement::device(0))?;
    let p1 = Role::new("p1", Placement::device(0))?;
    (|p: &Role| p.mem_create(SIZE, DEVICE, 2).refused(INVALID_VALUE))(&p0)?;
    (|p: &Role| {
        let reserved = reserve(p, 2 * SIZE)?; for offset in [0, SIZE]
        { p.mem_map(reserved.offset(offset), SIZE, 0, create(p)?, 0)?; }
        p.mem_set_access(reserved, 2 * SIZE, 0, READ_WRITE)?; let border =
        reserved.offset(SIZE - 4 * KIB); p.fill_by_copy(border, 8 * KIB, 9)?;
        check!(p.mismatches_by_copy(border, 8 * KIB, 9)? == 0);
        check!(p.mismatches(border, 8 * KIB, 9)? == 0);
        p.mem_unmap(reserved, 2 * SIZE)?;
        p.read(reserved.offset(SIZE), 4).refused(&[])?;
        p.mem_address_free(reserved, 2 * SIZE)
    })(&p0)?;
    (|p: &Role| reserve(p, 2 * MIB + 1).refused(&[]))(&p1)?;
    (|p: &Role| reserve(p, 2 * MIB + 1).refused(&[]))(&p0)?;
    (|p: &Role| p.mem_import_from_descriptor(Descriptor(-1)).refused(&[]))(&p1)?;
    (|p: &Role| p.mem_create(SIZE, DEVICE.at(DEVICE.location_type, -1),
    0).refused(NO_SUCH_DEVICE))(&p1)?;
    (|p: &Role| p.mem_address_reserve(SIZE, 6 * MIB, Pointer::NULL, 0).refused(&[]))(&p0)?;
    (|p: &Role| p.mem_import_from_descriptor(Foreign::DevNull.make(p)?).refused(&[]))(&p0)?;
    (|p: &Role| {
        let reserved = reserve(p, 2 * SIZE)?; for offset in [0, SIZE]
        { p.mem_map(reserved.offset(offset), SIZE, 0, create(p)?, 0)?; }
        p.mem_set_access(reserved, 2 * SIZE, 0, READ_WRITE)?; let border =
        reserved.offset(SIZE - 4 * KIB); p.fill_by_copy(border, 8 * KIB, 9)?;
        check!(p.mismatches_by_copy(border, 8 * KIB, 9)? == 0);
        check!(p.mismatches(border, 8 * KIB, 9)? == 0);
        p.mem_unmap(reserved, 2 * SIZE)?;
        p.read(reserved.offset(SIZE), 4).refused(&[])?;
        p.mem_address_free(reserved, 2 * SIZE)
    })(&p0)?;
    (|p: &Role| {
        let (one, other) = (create(p)?, create(p)?); let address =
        map_readable_and_writable(p, one)?; p.fill(address, 4 * KIB, 3)?;
        p.mem_unmap(address, SIZE)?; p.mem_map(address, SIZE, 0, other, 0)?;
        p.read(address, 4).refused(&[])?;
        check!(p.mem_get_access(address, 0)? == NONE);
        p.mem_set_access(address, SIZE, 0, READ_WRITE)?;
        p.fill(address, 4 * KIB, 4)?; let again =
        map_readable_and_writable(p, one)?;
        check!(p.mismatches(again, 4 * KIB, 3)? == 0); Ok(())
    })(&p1)?;
    (|p: &Role| p.mem_address_reserve(SIZE, 0, Pointer::NULL, 1 << 32).refused(INVALID_VALUE))(&p1)?;
    (|p: &Role| {
        let address = reserve(p, SIZE)?; for (offset, size) in
        [(4 * MIB, SIZE), (0, SIZE / 2), (SIZE / 2, SIZE / 2), (0, 2 * SIZE),
        (0, 0)]
        {
            p.mem_address_free(address.offset(offset),
            size).refused(INVALID_VALUE)?;
        } p.mem_address_free(address, SIZE)
    })(&p1)?;
    (|p: &Role| {
        let reserved = reserve(p, 2 * SIZE)?; let address = reserved.offset(SIZE);
        p.mem_map(address, SIZE, 0, create(p)?, 0)?;
        p.mem_address_free(reserved, 2 * SIZE).refused(&[])?;
        p.mem_set_access(address, SIZE, 0, READ_WRITE)?;
        p.fill(address, 4 * KIB, 7)?;
        check!(p.mismatches(address, 4 * KIB, 7)? == 0);
        p.mem_unmap(address, SIZE)?; p.mem_address_free(reserved, 2 * SIZE)
    })(&p1)?;
    (|p: &Role| {
        let reserved = reserve(p, 2 * SIZE)?; let address = reserved.offset(SIZE);
        p.mem_map(address, SIZE, 0, create(p)?, 0)?;
        p.mem_address_free(reserved, 2 * SIZE).refused(&[])?;
        p.mem_set_access(address, SIZE, 0, READ_WRITE)?;
        p.fill(address, 4 * KIB, 7)?;
        check!(p.mismatches(address, 4 * KIB, 7)? == 0);
        p.mem_unmap(address, SIZE)?; p.mem_address_free(reserved, 2 * SIZE)
    })(&p1)?;
    (|p: &Role| p.mem_create(SIZE, DEVICE, 1).refused(INVALID_VALUE))(&p0)?;
    (|p: &Role| reserve(p, 2 * MIB - 1).refused(&[]))(&p1)?;
    (|p: &Role| p.mem_address_reserve(SIZE, 6 * MIB, Pointer::NULL, 0).refused(&[]))(&p1)?;
    let v1 = p0.mem_create(2097152, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    let d2 = p0.mem_export_to_descriptor(v1)?;
    let sent2 = p0.send_descriptor(d2)?;
    p0.close_descriptor(d2)?;
    let d3 = p1.receive_descriptor(&sent2)?;
    let v3 = p1.mem_import_from_descriptor(d3)?;
    p1.close_descriptor(d3)?;
    let m4 = p1.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p1.mem_map(m4, 2097152, 0, v3, 0)?;
    check!(p1.mem_get_access(m4, 0)? == 0);
    p1.mem_set_access(m4, 2097152, 0, 3)?;
    for offset in [0, 2097152 - 1] {
        check!(p1.mem_get_access(m4.offset(offset), 0)? == 3);
    }
    let m5 = p0.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p0.mem_map(m5, 2097152, 0, v1, 0)?;
    check!(p0.mem_get_access(m5, 0)? == 0);
    p0.mem_set_access(m5, 2097152, 0, 3)?;
    for offset in [0, 2097152 - 1] {
        check!(p0.mem_get_access(m5.offset(offset), 0)? == 3);
    }
    p1.fill(m4, 2097152, 6)?;
    check!(p0.mismatches(m5, 2097152, 6)? == 0);
    p0.fill(m5, 2097152, 7)?;
    check!(p1.mismatches(m4, 2097152, 7)? == 0);
    p0.mem_unmap(m5, 2097152)?;
    p0.read(m5, 4).refused(&[])?;
    p0.mem_address_free(m5, 2097152)?;
    p0.mem_release(v1)?;
    check!(p1.mismatches(m4, 2097152, 7)? == 0);
    let m8 = p1.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p1.mem_map(m8, 2097152, 0, v3, 0)?;
    check!(p1.mem_get_access(m8, 0)? == 0);
    p1.mem_set_access(m8, 2097152, 0, 3)?;
    for offset in [0, 2097152 - 1] {
        check!(p1.mem_get_access(m8.offset(offset), 0)? == 3);
    }
    p1.mem_release(v3)?;
    p1.mem_unmap(m4, 2097152)?;
    p1.read(m4, 4).refused(&[])?;
    p1.mem_address_free(m4, 2097152)?;
    check!(p1.mismatches(m8, 2097152, 7)? == 0);
    check!(p1.mismatches(m8, 2097152, 7)? == 0);
    Ok(())
}

fn script_342() -> Outcome {
    let p0 = Role::new("p0", Placement::device(1))?;
    let p1 = Role::new("p1", Placement::device(0))?;
    (|p: &Role| p.mem_create(SIZE, DEVICE, 1 << 32).refused(INVALID_VALUE))(&p1)?;
    (|p: &Role| {
        let size = 3 * p.mem_get_allocation_granularity(DEVICE, 0)?; let
        (physical, address) = (p.mem_create(size, DEVICE, 0)?, reserve(p, size)?);
        p.mem_map(address, size, 0, physical, 0)?;
        p.mem_set_access(address, size, 0, READ_WRITE)?;
        p.fill_by_copy(address.offset(size - 4), 4, 7)?;
        check!(p.mismatches_by_copy(address.offset(size - 4), 4, 7)? == 0); Ok(())
    })(&p1)?;
    (|p: &Role| reserve(p, 2 * MIB + 2 * KIB).refused(&[]))(&p1)?;
    let v1 = p0.mem_create(4194304, MemProperties::device(1).exportable(DESCRIPTOR), 0)?;
    (|p: &Role| p.mem_map(reserve(p, SIZE)?, SIZE - 4 * KIB, 0, create(p)?,
    0).refused(REFUSED))(&p1)?;
    p1.exit()?;
    let p1 = Role::new("p1", Placement::device(0))?;
    (|p: &Role, it: Physical| p.mem_export_as(it, DESCRIPTOR | FABRIC, 0).refused(INVALID_VALUE))(&p0, v1)?;
    (|p: &Role, it: Physical| {
        let [one, other] =
        [p.mem_export_to_descriptor(it)?, p.mem_export_to_descriptor(it)?];
        check!(one != other); p.close_descriptor(one)?; let imported =
        p.mem_import_from_descriptor(other)?; p.close_descriptor(other)?;
        p.mem_release(imported)
    })(&p0, v1)?;
    let v2 = p1.mem_create(4194304, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    let v3 = p1.mem_create(4194304, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    (|p: &Role| p.mem_create(SIZE, DEVICE.at(DEVICE.location_type, -1),
    0).refused(NO_SUCH_DEVICE))(&p1)?;
    let m4 = p1.mem_address_reserve(4194304, 0, Pointer::NULL, 0)?;
    p1.mem_map(m4, 4194304, 0, v2, 0)?;
    check!(p1.mem_get_access(m4, 0)? == 0);
    p1.mem_set_access(m4, 4194304, 0, 1)?;
    for offset in [0, 4194304 - 1] {
        check!(p1.mem_get_access(m4.offset(offset), 0)? == 1);
    }
    let m5 = p1.mem_address_reserve(4194304, 0, Pointer::NULL, 0)?;
    p1.mem_map(m5, 4194304, 0, v3, 0)?;
    check!(p1.mem_get_access(m5, 0)? == 0);
    p0.mem_release(v1)?;
    let v6 = p1.mem_create(2097152, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    (|p: &Role| p.mem_create(2 * MIB - 1, DEVICE, 0).refused(INVALID_VALUE))(&p1)?;
    let m7 = p1.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p1.mem_map(m7, 2097152, 0, v6, 0)?;
    check!(p1.mem_get_access(m7, 0)? == 0);
    p1.mem_set_access(m7, 2097152, 0, 0)?;
    for offset in [0, 2097152 - 1] {
        check!(p1.mem_get_access(m7.offset(offset), 0)? == 0);
    }
    p1.mem_set_access(m7, 2097152, 0, 1)?;
    for offset in [0, 2097152 - 1] {
        check!(p1.mem_get_access(m7.offset(offset), 0)? == 1);
    }
    p1.exec()?;
    (|p: &Role| p.mem_create(2 * MIB - 1, DEVICE, 0).refused(INVALID_VALUE))(&p1)?;
    (|p: &Role| {
        let reserved = reserve(p, 2 * SIZE)?; for offset in [0, SIZE]
        { p.mem_map(reserved.offset(offset), SIZE, 0, create(p)?, 0)?; }
        p.mem_set_access(reserved, 2 * SIZE, 0, READ_WRITE)?; let border =
        reserved.offset(SIZE - 4 * KIB); p.fill_by_copy(border, 8 * KIB, 9)?;
        check!(p.mismatches_by_copy(border, 8 * KIB, 9)? == 0);
        check!(p.mismatches(border, 8 * KIB, 9)? == 0);
        p.mem_unmap(reserved, 2 * SIZE)?;
        p.read(reserved.offset(SIZE), 4).refused(&[])?;
        p.mem_address_free(reserved, 2 * SIZE)
    })(&p1)?;
    (|p: &Role| p.mem_retain_allocation_handle(reserve(p, SIZE)?).refused(INVALID_VALUE))(&p1)?;
    (|p: &Role| p.mem_map(reserve(p, SIZE)?, SIZE, 0, create(p)?, 1 <<
    32).refused(INVALID_VALUE))(&p1)?;
    (|p: &Role| p.mem_create(SIZE, DEVICE.exportable(WIN32 | DESCRIPTOR), 0).refused(&[]))(&p1)?;
    let v8 = p0.mem_create(2097152, MemProperties::device(1).exportable(DESCRIPTOR), 0)?;
    (|p: &Role| p.mem_import_from_descriptor(Foreign::DevNull.make(p)?).refused(&[]))(&p1)?;
    let m9 = p0.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p0.mem_map(m9, 2097152, 0, v8, 0)?;
    check!(p0.mem_get_access(m9, 1)? == 0);
    let v10 = p0.mem_create(2097152, MemProperties::device(1).exportable(DESCRIPTOR), 0)?;
    let v11 = p0.mem_create(4194304, MemProperties::device(1).exportable(DESCRIPTOR), 0)?;
    p1.exec()?;
    p0.mem_set_access(m9, 2097152, 1, 3)?;
    for offset in [0, 2097152 - 1] {
        check!(p0.mem_get_access(m9.offset(offset), 1)? == 3);
    }
    let v12 = p1.mem_create(2097152, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    p0.fill_by_copy(m9, 2097152, 13)?;
    let v14 = p0.mem_create(2097152, MemProperties::device(1).exportable(DESCRIPTOR), 0)?;
    let d15 = p0.mem_export_to_descriptor(v14)?;
    let sent15 = p0.send_descriptor(d15)?;
    p0.close_descriptor(d15)?;
    let d16 = p1.receive_descriptor(&sent15)?;
    let v16 = p1.mem_import_from_descriptor(d16)?;
    p1.close_descriptor(d16)?;
    let m17 = p1.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p1.mem_map(m17, 2097152, 0, v16, 0)?;
    check!(p1.mem_get_access(m17, 0)? == 0);
    p1.mem_set_access(m17, 2097152, 0, 3)?;
    for offset in [0, 2097152 - 1] {
        check!(p1.mem_get_access(m17.offset(offset), 0)? == 3);
    }
    let m18 = p0.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p0.mem_map(m18, 2097152, 0, v14, 0)?;
    check!(p0.mem_get_access(m18, 1)? == 0);
    p0.mem_set_access(m18, 2097152, 1, 3)?;
    for offset in [0, 2097152 - 1] {
        check!(p0.mem_get_access(m18.offset(offset), 1)? == 3);
    }
    p1.fill(m17, 2097152, 19)?;
    check!(p0.mismatches(m18, 2097152, 19)? == 0);
    p0.fill(m18, 2097152, 20)?;
    check!(p1.mismatches(m17, 2097152, 20)? == 0);
    p0.mem_unmap(m18, 2097152)?;
    p0.read(m18, 4).refused(&[])?;
    p0.mem_address_free(m18, 2097152)?;
    p0.mem_release(v14)?;
    check!(p1.mismatches(m17, 2097152, 20)? == 0);
    let m21 = p1.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p1.mem_map(m21, 2097152, 0, v16, 0)?;
    check!(p1.mem_get_access(m21, 0)? == 0);
    p1.mem_set_access(m21, 2097152, 0, 3)?;
    for offset in [0, 2097152 - 1] {
        check!(p1.mem_get_access(m21.offset(offset), 0)? == 3);
    }
    p1.mem_release(v16)?;
    p1.mem_unmap(m17, 2097152)?;
    p1.read(m17, 4).refused(&[])?;
    p1.mem_address_free(m17, 2097152)?;
    check!(p1.mismatches(m21, 2097152, 20)? == 0);
    check!(p0.mismatches(m9, 2097152, 13)? == 0);
    check!(p1.mismatches(m21, 2097152, 20)? == 0);
    Ok(())
}

fn script_343() -> Outcome {
    let p0 = Role::new("p0", Placement::device(1))?;
    let p1 = Role::new("p1", Placement::device(1))?;
    let p2 = Role::new("p2", Placement::device(0))?;
    let p3 = Role::new("p3", Placement::device(0))?;
    (|p: &Role| p.mem_create(3 * MIB, DEVICE, 0).refused(INVALID_VALUE))(&p3)?;
    (|p: &Role| p.mem_create(SIZE, DEVICE, 1 << 32).refused(INVALID_VALUE))(&p2)?;
    (|p: &Role| p.mem_address_reserve(SIZE, 3, Pointer::NULL, 0).refused(&[]))(&p3)?;
    (|p: &Role| {
        let address = p.mem_address_reserve(SIZE, 16 * MIB, Pointer::NULL, 0)?;
        check!(address.0 % (16 * MIB) == 0); p.mem_address_free(address, SIZE)
    })(&p3)?;
    (|p: &Role| p.mem_address_reserve(SIZE, 0, Pointer::NULL, 1 << 32).refused(INVALID_VALUE))(&p2)?;
    (|p: &Role| {
        let descriptor = p.mem_export_to_descriptor(create_exportable(p)?)?;
        p.mem_import_from_address_of_descriptor(descriptor).refused(&[])
    })(&p2)?;
    let v1 = p3.mem_create(4194304, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    let m2 = p3.mem_address_reserve(4194304, 0, Pointer::NULL, 0)?;
    p3.mem_map(m2, 4194304, 0, v1, 0)?;
    check!(p3.mem_get_access(m2, 0)? == 0);
    (|p: &Role| p.mem_create(SIZE, DEVICE.at(HOST_NUMA_CURRENT, 0), 0).refused(INVALID_VALUE))(&p3)?;
    (|p: &Role| p.mem_create(2 * MIB - 1, DEVICE, 0).refused(INVALID_VALUE))(&p3)?;
    let d3 = p3.mem_export_to_descriptor(v1)?;
    let sent3 = p3.send_descriptor(d3)?;
    p3.close_descriptor(d3)?;
    (|p: &Role| p.mem_import_from_descriptor(Foreign::SharedMemory.make(p)?).refused(&[]))(&p3)?;
    let v4 = p2.mem_create(4194304, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    let m5 = p2.mem_address_reserve(4194304, 0, Pointer::NULL, 0)?;
    p2.mem_map(m5, 4194304, 0, v4, 0)?;
    check!(p2.mem_get_access(m5, 0)? == 0);
    (|p: &Role, it: Physical| p.mem_export_as(it, DESCRIPTOR, 1 << 32).refused(INVALID_VALUE))(&p2, v4)?;
    let d6 = p2.receive_descriptor(&sent3)?;
    let v6 = p2.mem_import_from_descriptor(d6)?;
    p2.close_descriptor(d6)?;
    (|p: &Role| p.mem_import_from_descriptor(Foreign::DevNull.make(p)?).refused(&[]))(&p3)?;
    let d7 = p3.receive_descriptor(&sent3)?;
    let v7 = p3.mem_import_from_descriptor(d7)?;
    p3.close_descriptor(d7)?;
    p1.stop()?;
    (|p: &Role| p.mem_create(SIZE, DEVICE.exportable(WIN32 | DESCRIPTOR), 0).refused(&[]))(&p3)?;
    p3.mem_set_access(m2, 4194304, 0, 1)?;
    for offset in [0, 4194304 - 1] {
        check!(p3.mem_get_access(m2.offset(offset), 0)? == 1);
    }
    p2.mem_set_access(m5, 4194304, 0, 3)?;
    for offset in [0, 4194304 - 1] {
        check!(p2.mem_get_access(m5.offset(offset), 0)? == 3);
    }
    let d8 = p2.receive_descriptor(&sent3)?;
    let v8 = p2.mem_import_from_descriptor(d8)?;
    p2.close_descriptor(d8)?;
    drop(sent3);
    p2.fill_by_copy(m5, 4194304, 9)?;
    p2.mem_release(v8)?;
    let d10 = p3.mem_export_to_descriptor(v1)?;
    let sent10 = p3.send_descriptor(d10)?;
    p3.close_descriptor(d10)?;
    let d11 = p3.receive_descriptor(&sent10)?;
    let v11 = p3.mem_import_from_descriptor(d11)?;
    p3.close_descriptor(d11)?;
    (|p: &Role| p.mem_create(SIZE, DEVICE, 1).refused(INVALID_VALUE))(&p3)?;
    p3.mem_unmap(m2, 4194304)?;
    p3.read(m2, 4).refused(&[])?;
    p3.mem_address_free(m2, 4194304)?;
    p1.resume()?;
    let d12 = p2.mem_export_to_descriptor(v4)?;
    let sent12 = p2.send_descriptor(d12)?;
    p2.close_descriptor(d12)?;
    let d13 = p2.mem_export_to_descriptor(v4)?;
    let sent13 = p2.send_descriptor(d13)?;
    p2.close_descriptor(d13)?;
    p2.mem_set_access(m5, 4194304, 0, 3)?;
    for offset in [0, 4194304 - 1] {
        check!(p2.mem_get_access(m5.offset(offset), 0)? == 3);
    }
    (|p: &Role| reserve(p, 2 * MIB + 2 * KIB).refused(&[]))(&p3)?;
    drop(sent10);
    (|p: &Role, it: Pointer| p.mem_map(it, 2 * MIB, 0, p.mem_create(2 * MIB, DEVICE, 0)?, 0).refused(&[]))(&p2, m5)?;
    (|p: &Role| p.mem_retain_allocation_handle(reserve(p, SIZE)?).refused(INVALID_VALUE))(&p2)?;
    check!(p2.mismatches(m5, 4194304, 9)? == 0);
    let m14 = p2.mem_address_reserve(4194304, 0, Pointer::NULL, 0)?;
    p2.mem_map(m14, 4194304, 0, v6, 0)?;
    check!(p2.mem_get_access(m14, 0)? == 0);
    p2.mem_set_access(m14, 4194304, 0, 3)?;
    for offset in [0, 4194304 - 1] {
        check!(p2.mem_get_access(m14.offset(offset), 0)? == 3);
    }
    let m15 = p3.mem_address_reserve(4194304, 0, Pointer::NULL, 0)?;
    p3.mem_map(m15, 4194304, 0, v1, 0)?;
    check!(p3.mem_get_access(m15, 0)? == 0);
    p3.mem_set_access(m15, 4194304, 0, 3)?;
    for offset in [0, 4194304 - 1] {
        check!(p3.mem_get_access(m15.offset(offset), 0)? == 3);
    }
    p2.fill(m14, 4194304, 16)?;
    check!(p3.mismatches(m15, 4194304, 16)? == 0);
    p3.fill(m15, 4194304, 17)?;
    check!(p2.mismatches(m14, 4194304, 17)? == 0);
    p3.mem_unmap(m15, 4194304)?;
    p3.read(m15, 4).refused(&[])?;
    p3.mem_address_free(m15, 4194304)?;
    p3.mem_release(v1)?;
    p3.mem_release(v7)?;
    p3.mem_release(v11)?;
    check!(p2.mismatches(m14, 4194304, 17)? == 0);
    let m18 = p2.mem_address_reserve(4194304, 0, Pointer::NULL, 0)?;
    p2.mem_map(m18, 4194304, 0, v6, 0)?;
    check!(p2.mem_get_access(m18, 0)? == 0);
    p2.mem_set_access(m18, 4194304, 0, 3)?;
    for offset in [0, 4194304 - 1] {
        check!(p2.mem_get_access(m18.offset(offset), 0)? == 3);
    }
    p2.mem_release(v6)?;
    p2.mem_unmap(m14, 4194304)?;
    p2.read(m14, 4).refused(&[])?;
    p2.mem_address_free(m14, 4194304)?;
    check!(p2.mismatches(m18, 4194304, 17)? == 0);
    check!(p2.mismatches(m5, 4194304, 9)? == 0);
    check!(p2.mismatches(m18, 4194304, 17)? == 0);
    Ok(())
}

fn script_371() -> Outcome {
    let p0 = Role::new("p0", Placement::device(0))?;
    let p1 = Role::new("p1", Placement::device(0))?;
    (|p: &Role| {
        let physical = create(p)?; let address = map(p, physical)?;
        check!(p.mem_retain_allocation_handle(address.offset(SIZE - 1))? ==
        physical); Ok(())
    })(&p0)?;
    (|p: &Role| p.mem_create(SIZE, DEVICE.exportable(WIN32_KMT), 0).refused(&[]))(&p0)?;
    (|p: &Role| {
        let physical = create(p)?; let address = map(p, physical)?;
        check!(p.mem_retain_allocation_handle(address.offset(SIZE - 1))? ==
        physical); Ok(())
    })(&p0)?;
    (|p: &Role| p.mem_import_from_descriptor(Foreign::Socket.make(p)?).refused(&[]))(&p1)?;
    (|p: &Role| p.mem_create(SIZE, DEVICE, 1 << 32).refused(INVALID_VALUE))(&p1)?;
    (|p: &Role| {
        for (device, handle_types) in
        [(0, 0), (0, DESCRIPTOR), (p.device_get_count()? - 1, DESCRIPTOR)]
        {
            let properties =
            conformance::MemProperties::device(device).exportable(handle_types);
            let minimum = p.mem_get_allocation_granularity(properties, 0)?; let
            recommended = p.mem_get_allocation_granularity(properties, 1)?;
            check!(minimum.is_power_of_two() && recommended.is_power_of_two() &&
            recommended >= minimum);
        } Ok(())
    })(&p0)?;
    (|p: &Role| p.mem_export_as(create(p)?, DESCRIPTOR, 0).refused(INVALID_VALUE))(&p0)?;
    let v1 = p0.mem_create(2097152, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    let m2 = p0.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p0.mem_map(m2, 2097152, 0, v1, 0)?;
    check!(p0.mem_get_access(m2, 0)? == 0);
    p0.mem_unmap(m2, 2097152)?;
    p0.read(m2, 4).refused(&[])?;
    p0.mem_address_free(m2, 2097152)?;
    (|p: &Role| p.mem_create(SIZE, DEVICE, 1 << 32).refused(INVALID_VALUE))(&p0)?;
    let (found, expected) = (p0.mem_get_allocation_properties(v1)?, MemProperties::device(0));
    check!((found.allocation_type, found.location_type) == (expected.allocation_type, expected.location_type));
    check!(found.location == expected.location);
    p0.mem_release(v1)?;
    (|p: &Role| reserve(p, 2 * MIB + 1).refused(&[]))(&p1)?;
    (|p: &Role| {
        let physical = create(p)?; let [one, other] =
        [map_readable_and_writable(p, physical)?,
        map_readable_and_writable(p, physical)?]; p.fill(one, 64 * KIB, 11)?;
        check!(p.mismatches(other, 64 * KIB, 11)? == 0); p.mem_unmap(one, SIZE)?;
        check!(p.mismatches(other, 64 * KIB, 11)? == 0); Ok(())
    })(&p0)?;
    (|p: &Role| {
        let address = reserve(p, SIZE)?; p.mem_address_free(address, SIZE)?;
        p.mem_map(address, SIZE, 0, create(p)?, 0).refused(INVALID_VALUE)
    })(&p1)?;
    (|p: &Role| {
        let address = p.mem_address_reserve(SIZE, 16 * MIB, Pointer::NULL, 0)?;
        check!(address.0 % (16 * MIB) == 0); p.mem_address_free(address, SIZE)
    })(&p1)?;
    (|p: &Role| {
        let address = reserve(p, SIZE)?;
        p.mem_address_free(Pointer::NULL, SIZE).refused(INVALID_VALUE)?;
        p.mem_address_free(address, SIZE)
    })(&p0)?;
    (|p: &Role| p.mem_create(3 * MIB, DEVICE, 0).refused(INVALID_VALUE))(&p1)?;
    p1.exit()?;
    let p1 = Role::new("p1", Placement::device(0))?;
    p1.exec()?;
    let v3 = p0.mem_create(2097152, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    let d4 = p0.mem_export_to_descriptor(v3)?;
    let sent4 = p0.send_descriptor(d4)?;
    p0.close_descriptor(d4)?;
    (|p: &Role| p.mem_map(reserve(p, SIZE)?, SIZE, 0, create(p)?, 2).refused(INVALID_VALUE))(&p1)?;
    let m5 = p0.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p0.mem_map(m5, 2097152, 0, v3, 0)?;
    check!(p0.mem_get_access(m5, 0)? == 0);
    let m6 = p0.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p0.mem_map(m6, 2097152, 0, v3, 0)?;
    check!(p0.mem_get_access(m6, 0)? == 0);
    let m7 = p0.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p0.mem_map(m7, 2097152, 0, v3, 0)?;
    check!(p0.mem_get_access(m7, 0)? == 0);
    p0.read(m7, 4).refused(&[])?;
    p0.write(m7, vec![1; 4]).refused(&[])?;
    let v8 = p1.mem_create(2097152, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    p0.read(m6, 4).refused(&[])?;
    p0.write(m6, vec![1; 4]).refused(&[])?;
    let d9 = p0.receive_descriptor(&sent4)?;
    let v9 = p0.mem_import_from_descriptor(d9)?;
    p0.close_descriptor(d9)?;
    let d10 = p0.receive_descriptor(&sent4)?;
    let v10 = p0.mem_import_from_descriptor(d10)?;
    p0.close_descriptor(d10)?;
    p0.mem_set_access(m5, 2097152, 0, 3)?;
    for offset in [0, 2097152 - 1] {
        check!(p0.mem_get_access(m5.offset(offset), 0)? == 3);
    }
    let v11 = p0.mem_create(2097152, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    let d12 = p0.mem_export_to_descriptor(v11)?;
    let sent12 = p0.send_descriptor(d12)?;
    p0.close_descriptor(d12)?;
    let d13 = p1.receive_descriptor(&sent12)?;
    let v13 = p1.mem_import_from_descriptor(d13)?;
    p1.close_descriptor(d13)?;
    let m14 = p1.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p1.mem_map(m14, 2097152, 0, v13, 0)?;
    check!(p1.mem_get_access(m14, 0)? == 0);
    p1.mem_set_access(m14, 2097152, 0, 3)?;
    for offset in [0, 2097152 - 1] {
        check!(p1.mem_get_access(m14.offset(offset), 0)? == 3);
    }
    let m15 = p0.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p0.mem_map(m15, 2097152, 0, v11, 0)?;
    check!(p0.mem_get_access(m15, 0)? == 0);
    p0.mem_set_access(m15, 2097152, 0, 3)?;
    for offset in [0, 2097152 - 1] {
        check!(p0.mem_get_access(m15.offset(offset), 0)? == 3);
    }
    p1.fill(m14, 2097152, 16)?;
    check!(p0.mismatches(m15, 2097152, 16)? == 0);
    p0.fill(m15, 2097152, 17)?;
    check!(p1.mismatches(m14, 2097152, 17)? == 0);
    p0.mem_unmap(m15, 2097152)?;
    p0.read(m15, 4).refused(&[])?;
    p0.mem_address_free(m15, 2097152)?;
    p0.mem_release(v11)?;
    check!(p1.mismatches(m14, 2097152, 17)? == 0);
    let m18 = p1.mem_address_reserve(2097152, 0, Pointer::NULL, 0)?;
    p1.mem_map(m18, 2097152, 0, v13, 0)?;
    check!(p1.mem_get_access(m18, 0)? == 0);
    p1.mem_set_access(m18, 2097152, 0, 3)?;
    for offset in [0, 2097152 - 1] {
        check!(p1.mem_get_access(m18.offset(offset), 0)? == 3);
    }
    p1.mem_release(v13)?;
    p1.mem_unmap(m14, 2097152)?;
    p1.read(m14, 4).refused(&[])?;
    p1.mem_address_free(m14, 2097152)?;
    check!(p1.mismatches(m18, 2097152, 17)? == 0);
    check!(p1.mismatches(m18, 2097152, 17)? == 0);
    Ok(())
}
