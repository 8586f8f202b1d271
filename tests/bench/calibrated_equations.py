"""The equations of the model `calibrated` (docs/calibrated.md) in plain Python, one kernel and GPU at a time: for the
comparison of speed in many_kernels.py, which also checks that it comes to the same durations."""
from math import ceil, floor, log

RESOURCES = 14
OVERLAP = 3.5
LAUNCH_OVERHEAD = 2.5e-6
OPERATIONS_PER_INSTRUCTION = 1.4
TINY = 1e-9


def clamp(x, low, high):
    return max(low, min(x, high))


def work_of(kernel, reference):
    """The counters of one record as work per launch, or None where they do not suffice."""
    m, launches = kernel["metrics"], kernel.get("launches", 1)
    per = lambda key: m[key] / launches if key in m else None
    number = lambda key: m.get(key, 0) / launches
    if "dram_read_sector" not in m and "dram_write_sector" not in m:
        return None

    def instructions(counted, operations, multiply_adds):
        if counted in m or operations not in m:
            return per(counted)
        return number(operations) - number(multiply_adds) if multiply_adds in m else number(operations) / OPERATIONS_PER_INSTRUCTION

    fp32 = instructions("thread_inst_fp32", "fp32_op", "thread_inst_fp32_fma")
    fp64 = instructions("thread_inst_fp64", "fp64_op", "thread_inst_fp64_fma")
    fp16, integer = per("thread_inst_fp16"), per("thread_inst_integer")
    if fp32 is None and fp64 is None and fp16 is None and integer is None and "thread_inst" not in m and "warp_inst" not in m:
        return None
    load_store = per("thread_inst_load_store")
    counted_load_store = load_store is not None
    conversion = per("thread_inst_conversion") if "thread_inst_conversion" in m else per("thread_inst_bit")
    arithmetic = sum(x or 0 for x in (fp32, fp64, fp16, integer))
    all_kinds = all(key in m for key in ("thread_inst_load_store", "thread_inst_integer", "thread_inst_control", "thread_inst_misc"))
    if "thread_inst" in m:
        total = number("thread_inst")
    elif "warp_inst" in m and not all_kinds:
        total = 32 * number("warp_inst")
    elif counted_load_store:
        total = arithmetic + load_store + number("thread_inst_control") + number("thread_inst_misc") + (conversion or 0)
    else:
        total = 1.7 * arithmetic
    if load_store is None:
        load_store = 0.15 * total

    w = {}
    launch_known = "grid" in kernel and "block" in kernel
    block = kernel["block"] if launch_known else [256, 1, 1]
    threads = block[0] * block[1] * block[2]
    warps_per_block = ceil(threads / 32)
    if launch_known:
        grid = kernel["grid"]
        w["blocks"] = grid[0] * grid[1] * grid[2]
    else:
        warp_inst = number("warp_inst") if "warp_inst" in m else total / 32
        w["blocks"] = max(ceil(warp_inst / 200 / warps_per_block), 1)
    w["threads"], w["warps"] = threads, w["blocks"] * warps_per_block
    w["registers"] = kernel.get("registers_per_thread", 32)
    w["register_bounds"] = kernel.get("register_bounds", {})
    w["registers_for"] = register_aim(reference, w["register_bounds"]) if "registers_per_thread" in kernel else None
    w["shared_byte"] = None
    if "dynamic_shared_byte" in kernel or "static_shared_byte" in kernel:
        w["shared_byte"] = kernel.get("dynamic_shared_byte", 0) + kernel.get("static_shared_byte", 0)
    w["achieved_occupancy"] = m.get("achieved_occupancy")

    w["warp_inst"] = max(number("warp_inst") if "warp_inst" in m else total / 32, w["warps"])
    lanes = clamp(total / (32 * w["warp_inst"]), 1 / 32, 1)
    warp_level = lambda x: (x or 0) / 32 / lanes
    w["fp32"], w["fp64"], w["fp16"], w["integer"] = map(warp_level, (fp32, fp64, fp16, integer))
    w["load_store"], w["conversion"] = warp_level(load_store), warp_level(conversion)
    w["special"] = warp_level(per("thread_inst_special"))
    if "thread_inst_special" not in m and "warp_inst_special" in m and reference["compute_capability"] >= 7:
        w["special"] = max(number("warp_inst_special") - w["conversion"], 0)
    w["exchange"] = warp_level(per("thread_inst_communication"))
    w["tensor"] = {"fp16": number("tensor_fp16_op"), "bf16": number("tensor_bf16_op"), "tf32": number("tensor_tf32_op"),
                   "fp8": number("tensor_fp8_op"), "fp64": number("tensor_fp64_op"),
                   "integer": number("tensor_int8_op") + number("tensor_int4_op") / 2 + number("tensor_int1_op") / 8}
    if number("warp_inst_tensor") > 0 and not any(key.startswith("tensor_") and key.endswith("_op") for key in m):
        version = reference["compute_capability"]
        w["tensor"]["fp16"] = number("warp_inst_tensor") * (512 if version < 7.5 else 2048 if version < 8 else 4096)
    instructions, hopper = number("warp_inst_tensor"), 9 <= reference["compute_capability"] < 10
    as_fp16 = {"fp16": 1, "bf16": 1, "tf32": 2, "fp8": 1 / 2, "integer": 1 / 2, "fp64": 0}
    operations = sum(w["tensor"][kind] * factor for kind, factor in as_fp16.items())
    by_groups = hopper and (instructions == 0 or operations / instructions > 1.01 * 4096)
    w["tensor_of_warps"] = not by_groups
    if m.get("fp32_op", 0) > 0:
        w["multiply_add_pipe"] = min(warp_level(number("fp32_op") - number("thread_inst_fp32_fma")), w["fp32"])
    else:
        w["multiply_add_pipe"] = clamp(warp_level(number("thread_inst_fp32_fma")), 0.7 * w["fp32"], w["fp32"])
    w["texture"] = number("warp_inst_texture")
    w["multiply_share"] = w["slow_share"] = None
    if integer and "thread_inst_integer_multiply" in m:
        multiply = number("thread_inst_integer_multiply")
        w["multiply_share"] = min(multiply / integer, 1)
        w["slow_share"] = min((multiply + number("thread_inst_integer_shift")) / integer, 1)

    # Memory.
    cc = reference["compute_capability"]
    flat = block[1] * block[2] == 1
    row = lambda per_lane, low, high: high if flat else clamp(block[0] * per_lane / 32, low, high)
    sectors = "global_load_sector" in m or "global_store_sector" in m
    load = per("global_load_sector" if sectors else "global_load_transaction")
    store = per("global_store_sector" if sectors else "global_store_transaction")
    global_all = (load or 0) + (store or 0)
    if sectors or cc >= 7:
        moved = 8 * global_all
    elif cc < 5:
        moved = 32 * global_all
    else:
        moved = 8 * ((load or 0) / 2 + (store or 0))
    w["conversion64"] = min(1.5 * w["fp64"], w["conversion"] if conversion is not None else w["fp32"] + moved / 32 / lanes)
    dram_read, dram_write = number("dram_read_sector"), number("dram_write_sector")
    l2_read, l2_write = per("l2_read_sector"), per("l2_write_sector")
    w["shared_passes"] = number("shared_wavefront")
    no_shared = "shared_wavefront" in m and w["shared_passes"] == 0
    if sectors or cc >= 7:
        to_sectors = 1
    elif cc < 5:
        to_sectors = row(4, 1, 2)
    else:
        to_sectors = row(1, 0.25, 1) if global_all / max(w["load_store"], TINY) > 12 else 0.5
    overflowed = 5 <= cc < 6 and not sectors and (load or 0) > 0 and (l2_read or 0) < 0.3 * load
    weak = l2_read is None or overflowed
    read = l2_read or 0
    if l2_read is None and l2_write is None and load is None and not counted_load_store:
        read = dram_read
    elif weak:
        from_instructions = 4 * 0.67 * w["load_store"] if no_shared else 0
        read = load * to_sectors if (load or 0) > 0 else max(dram_read, from_instructions)
    write = l2_write if l2_write is not None else store * to_sectors if store is not None else dram_write
    w["l2_sectors"] = max(read + write, TINY)
    w["l1_sectors"] = w["l2_sectors"]
    if sectors or cc >= 7:
        w["l1_sectors"] = max(w["l2_sectors"], global_all)
    elif cc >= 5:
        w["l1_sectors"] = max(w["l2_sectors"], global_all / 3)
    w["l1_hit_share"] = clamp(1 - read / load, 0, 1) if (sectors or cc >= 7) and not weak and (load or 0) > 0 else 0
    any_of = lambda a, b: number(a) + number(b) if a in m or b in m else None
    counted_global = any_of("warp_inst_global_load", "warp_inst_global_store")
    counted_shared = any_of("warp_inst_shared_load", "warp_inst_shared_store")
    w["longest_warp"] = 1 / m["warp_balance"] if m.get("warp_balance") else 1
    w["hottest_word"] = number("thread_atomic_hottest")
    longest_run = row(4, 1, 4)
    if counted_global is not None and counted_shared is not None:
        w["global_requests"] = max(counted_global + number("warp_inst_local") + number("warp_inst_atomic"), TINY)
        w["shared_requests"] = counted_shared
    elif counted_load_store:
        to_global = w["load_store"] if no_shared else (
            w["load_store"] - w["shared_passes"] if "shared_wavefront" in m else w["load_store"] / 2)
        coalesced = w["l1_sectors"] / 4
        dram_alone = "shared_wavefront" not in m and l2_read is None and load is None and coalesced < to_global
        guess = to_global if no_shared else (coalesced * to_global) ** 0.5 if dram_alone else max(to_global, coalesced)
        least = w["l1_sectors"] / 32
        w["global_requests"] = max(clamp(guess, min(least, w["load_store"]), max(w["load_store"], least)), TINY)
        w["shared_requests"] = max(w["load_store"] - w["global_requests"], 0)
        if dram_alone:
            w["shared_passes"] = w["shared_requests"]
    else:
        w["global_requests"] = max(w["l1_sectors"] / 4, 0.08 * total / 32)
        w["shared_requests"] = min(w["shared_passes"], max(w["load_store"] - w["global_requests"], 0))
    per_request = w["l1_sectors"] / w["global_requests"]
    usual_run = lambda each: max(each, 1) if each <= 4 else max(1, (8 / each) ** 2)
    run = max(per_request, 1) if per_request <= 4 else max(1, 8 / per_request)
    row_run = run
    if sectors or cc >= 7:
        each = max(per_request / 2, min(per_request, 4)) if w["fp64"] > w["fp32"] else per_request
        run = row_run = usual_run(each)
        if each <= 4 * min(total / (32 * w["warp_inst"]), 1):
            row_run = 4
    run, row_run = min(run, longest_run), min(row_run, longest_run)
    if not (counted_load_store and (l2_read is not None or load is not None)):
        run = row_run = longest_run
    if "uncoalesced_sector" in m and "warp_inst_uncoalesced" in m and sectors:
        scattered, requests = number("uncoalesced_sector"), number("warp_inst_uncoalesced")
        scattered_lines = scattered / usual_run(scattered / requests if requests > 0 else 1)
        if "uncoalesced_line" in m:
            scattered_lines = number("uncoalesced_line")
        coalesced = max(w["l1_sectors"] - scattered, 0) / 4
        rows = coalesced + scattered_lines
        w["lines"] = max(coalesced, w["global_requests"] - requests) + scattered_lines
        if "global_line" in m:
            w["lines"] = number("global_line") + max(w["l1_sectors"] - global_all, 0) / 4
    elif cc < 5 and not sectors and global_all > 0:
        rows = w["lines"] = max(global_all, w["l1_sectors"] / 4)
    else:
        rows, w["lines"] = w["l1_sectors"] / row_run, w["l1_sectors"] / run
    w["run"] = clamp(w["l1_sectors"] / max(rows, TINY), 1, 4)
    pages = [m.get("dram_read_page_share"), m.get("dram_write_page_share")]
    if pages == [None, None]:
        w["scatter"], w["write_share"], at_a_time = [log(4 / w["run"]) / log(4)] * 2, 0, [2, 2]
    else:
        w["scatter"] = [0 if share is None else clamp(log(16 / (64 * share)) / log(16), 0, 1) for share in pages]
        at_a_time = [2 if share is None else 64 * share for share in pages]
        w["write_share"] = dram_write / (dram_read + dram_write) if dram_read + dram_write > 0 else 0
    w["in_pairs"] = [clamp(2 / sectors_at_once, 1, 2) for sectors_at_once in at_a_time]
    told_apart = (sectors or cc >= 7) and global_all > 0
    loads = (load or 0) / global_all if told_apart else clamp(read / w["l2_sectors"], 0, 1)
    w["global_load_requests"] = w["global_requests"] * loads
    ecc = 1 + 1 / w["run"] if reference["ecc_traffic"] else 1
    w["dram_byte"] = 32 * (dram_read + dram_write) / ecc
    w["dram_share"] = clamp(w["dram_byte"] / 32 / w["l2_sectors"], 0, 1)
    return w


def register_aim(gpu, bounds):
    """Registers per thread with which an SM is full, whether the GPU is of Volta or later, and the most registers; None
    for other makers'."""
    if gpu["major"] == 0:
        return None
    later = gpu["major"] >= 7
    warps, registers = (gpu["max_warps"], gpu["registers"]) if later else (64, 65536)
    share = lambda resident: min(registers // 4 // ((resident + 3) // 4) // 32 // 8 * 8, 255)
    block = (bounds.get("threads_per_block", 0) + 31) // 32
    blocks = max(1, warps // block) if block else 0
    full, most = share(blocks * block or warps), 255
    said = 0 < bounds.get("blocks_per_sm", 0) <= blocks
    if block:
        most = share((bounds["blocks_per_sm"] if said else 1) * block)
    most = min(most, bounds.get("registers_per_thread", 255))
    if said or "registers_per_thread" in bounds:
        full = 64
    return full, later, most


def registers_on(w, gpu):
    """Of machine code for `gpu`, from those for the reference."""
    registers, there, here = w["registers"], w["registers_for"], register_aim(gpu, w["register_bounds"])
    if there == here or there is None or here is None:
        return registers
    (full, later, _), (room, later_here, most) = there, here
    if full == room and registers >= room:
        return min(registers, most)
    if full <= registers < 64:
        if registers <= full + 4:
            registers = min(full * 11 // 8, 64)
        elif registers <= full * 5 // 4:
            registers = min(full * 15 // 8, 64)
    if registers < 64 and later != later_here:
        registers = min(registers + 3, 64) if later_here else max(registers - 3, 4)
    if room < registers <= room * 2:
        registers = room if registers <= room * 7 // 4 else room * 5 // 4
    return min(registers, most)


def possible_blocks(w, gpu):
    """Resident blocks per multiprocessor by CUDA's occupancy rules, at least 1."""
    up = lambda value, unit: (value + unit - 1) // unit * unit
    warps = (w["threads"] + 31) // 32
    registers = min(registers_on(w, gpu), gpu["registers_per_thread"])
    least = min(gpu["max_blocks"], gpu["max_warps"] // warps)
    if registers > 0:
        whole = up(warps, gpu["partitions"])
        if gpu["major"] == 1:
            by_registers = gpu["registers"] // up(32 * registers * whole, gpu["register_unit"])
        else:
            per_warp = up(32 * registers, gpu["register_unit"])
            fits = per_warp * whole <= gpu["registers_per_block"]
            by_registers = gpu["registers"] // gpu["partitions"] // per_warp * gpu["partitions"] // warps if fits else 0
        least = min(least, by_registers)
    shared = int(w["shared_byte"] or 0) + gpu["shared_reserved"]
    if shared > 0:
        least = min(least, gpu["shared"] // up(shared, gpu["shared_unit"]))
    return max(1, least)


def rounds(w, reference, gpu):
    """Rounds of resident blocks on the busiest multiprocessor of `gpu`."""
    per_sm, limit_there = w["blocks"] / reference["sm_count"], possible_blocks(w, reference)
    limit = possible_blocks(w, gpu)
    possible = min(limit_there, per_sm)
    achieved = possible
    if w["achieved_occupancy"] is not None:
        achieved = w["achieved_occupancy"] * reference["max_warps"] / (w["warps"] / w["blocks"])
    usual = possible
    if w["shared_byte"] is None and achieved < (0.96 if per_sm <= limit_there else 0.65) * possible:
        seen = max(ceil(achieved - 0.1), 1)
        limit = max(min(limit, floor(gpu["shared"] / (reference["shared"] / (seen + 0.5)))), 1)
        usual = min(seen, possible)
    filled = clamp(achieved / usual, 0.5, 1) if per_sm >= 2 * limit_there else 1
    busiest = ceil(w["blocks"] / gpu["sm_count"])
    return max(ceil(busiest / min(limit, busiest) - 1e-9), 1) / filled


def duration_of(w, reference, gpu, c):
    """Seconds of one launch."""
    multiply = c["multiply_share"] if w["multiply_share"] is None else w["multiply_share"]
    slow = c["multiply_share"] if w["slow_share"] is None else w["slow_share"]
    splits, split = gpu["split_multiply_add"], reference["split_multiply_add"]
    integer = w["integer"] * (1 if splits == split else 1 + 2 * multiply if splits else 1 / (1 + 2 * multiply))
    integer_rate = gpu["int_add"] if splits else 1 / ((1 - slow) / gpu["int_add"] + slow / gpu["int_multiply"])
    warp_inst = max(w["warp_inst"] + integer - w["integer"], 0.3 * w["warp_inst"])
    clocks = ceil(w["blocks"] / gpu["sm_count"]) / w["blocks"] / gpu["clock"]
    cc = gpu["compute_capability"]
    times = [0.0] * RESOURCES
    times[0] = 32 * clocks * max(w["multiply_add_pipe"] / (gpu["fp32"] * c["arithmetic"]), integer / (integer_rate * c["integer"]),
                                 (w["fp32"] + integer) / (gpu["lanes"] * c["integer"]))
    if w["fp64"] > 0:
        times[1] = 32 * clocks * (w["fp64"] / gpu["fp64"] + w["conversion64"] / min(gpu["fp64"], 32)) / c["arithmetic"]
    times[2] = 32 * clocks * w["fp16"] / (gpu["fp16"] * c["arithmetic"])
    if any(w["tensor"].values()):
        share = gpu["tensor_warp_share"] if w["tensor_of_warps"] else 1
        rates = {"fp16": gpu["tensor"], "integer": 2 * gpu["tensor_integer"], "bf16": gpu["tensor_bf16"],
                 "tf32": gpu["tensor_tf32"], "fp8": gpu["tensor_fp8"], "fp64": gpu["tensor_fp64"]}
        times[3] = clocks * sum(operations / rates[kind] / (1 if kind == "fp64" else share)
                                for kind, operations in w["tensor"].items() if operations) / c["arithmetic"]
    one_unit = cc >= 7 and gpu["conversion"] <= gpu["special"]
    times[4] = 32 * clocks * (w["special"] + one_unit * w["conversion"]) / (gpu["special"] * c["arithmetic"])
    times[5] = 0 if one_unit else 32 * clocks * w["conversion"] / (gpu["conversion"] * c["arithmetic"])
    issue = c["issue_kepler"] if cc < 5 else c["issue_maxwell"] if cc < 7 else 0.95
    times[6] = clocks * warp_inst / (gpu["issue"] * issue)
    times[7] = clocks * (w["shared_passes"] / gpu["shared_rate"] + w["exchange"] / max(gpu["shared_rate"], 1)) / c["shared"]
    times[8] = clocks * max(w["lines"] / gpu["lines"], 32 * w["l1_sectors"] / gpu["l1_byte"],
                            32 * w["texture"] / gpu["texels"]) / c["lines"]
    l2_sectors = w["l1_sectors"] if gpu["l1_bypassed"] else w["l2_sectors"]
    times[9] = clocks * 32 * l2_sectors / (gpu["l2_byte"] * c["l2"])
    ecc = 1 + 1 / w["run"] if gpu["ecc_traffic"] else 1
    read_slower, write_slower = (4 ** (c["short_runs"] * scatter) * (in_pairs if gpu["wide_dram"] else 1)
                                 for scatter, in_pairs in zip(w["scatter"], w["in_pairs"]))
    efficiency = 1 / (read_slower + w["write_share"] * (write_slower - read_slower))
    times[10] = w["dram_byte"] * ecc / (gpu["dram_bandwidth"] * c["dram"] * efficiency)
    arithmetic = max(warp_inst - w["load_store"] - w["fp64"] - w["exchange"], 0) * gpu["alu_latency"]
    fp64 = w["fp64"] * (2 * gpu["alu_latency"] + 128 / gpu["fp64"]) if w["fp64"] > 0 else 0
    shared = (w["shared_requests"] + w["exchange"]) * gpu["shared_latency"]
    conflicts = max(w["shared_passes"] - w["shared_requests"], 0) * gpu["conflict_latency"]
    behind_l1 = gpu["l2_latency"] + (gpu["dram_latency"] - gpu["l2_latency"]) * w["dram_share"]
    hit = gpu["l2_latency"] if gpu["l1_bypassed"] else gpu["l1_latency"]
    latency = behind_l1 + (hit - behind_l1) * w["l1_hit_share"]
    loads = w["global_load_requests"] * (latency + w["lines"] / w["global_requests"] / gpu["lines"])
    path = ((arithmetic + fp64 + shared) / c["instruction_parallelism"] + conflicts + loads / c["memory_parallelism"]) / w["warps"]
    loaded = c["latency_kepler"] if cc < 5 else c["latency_maxwell"]
    times[11] = max(rounds(w, reference, gpu), w["longest_warp"]) * path * loaded / gpu["clock"]
    times[12] = w["hottest_word"] * (9 if cc < 3 else 1) / gpu["clock"]
    times[13] = w["blocks"] / (gpu["blocks"] * gpu["clock"]) if gpu["blocks"] > 0 else 0
    longest = max(times)
    return longest * sum((t / longest) ** OVERLAP for t in times) ** (1 / OVERLAP) + LAUNCH_OVERHEAD
