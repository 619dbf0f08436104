// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where Bochs's hooks arrive: tell the guest from the host, find the markers, divide
 * what the host executes into intervals.
 *
 * Beside, account for each tick of the TSC from what has been seen alone: those outside
 * of intervals are in the stamps, at each of which the guest reads the TSC. That has its
 * ticks from Bochs's own counting; bench/profile/digest makes sure that all agree.
 */
#include "bochs.h"
#include "cpu/cpu.h"
#include "cpu/decoder/ia_opcodes.h"

#include "callstack.hh"
#include "instrument.h"
#include "interval.hh"
#include "marker.h"
#include "ops.hh"
#include "output.hh"
#include "repeat.hh"

#include <unordered_set>

#define RECORDING_FILE	"recording.log"
#define SYMBOLS_FILE	"symbols.log"

extern char *disasm(char *text, const bxInstruction_c *i, bx_address cs_base, bx_address rip,
		    BxDisasmStyle style);

struct cpu {
	class callstack callstack;
	class interval interval;
	class repeat repeat;
	unsigned int last_op;	/* of the guest */
	bool in_flight;		/* an instruction has begun, and not ended */
	bool in_exception;	/* since the last instruction began */
	uint64_t ticks;		/* outside of intervals */
};

bool recorder_watches;

static bool recording;
static unsigned int recordings;
static struct cpu cpus[BX_MAX_SMP_THREADS_SUPPORTED];
static class chains chains;
static class paths paths;
static std::unordered_set<uint64_t> disassembled;
static FILE *out;

void recorder_close(void)
{
	if (out)
		close_file(out, RECORDING_FILE);
	out = NULL;
}

static void open_recording(void)
{
	if (out)
		return;

	out = create_file(RECORDING_FILE);
	fprintf(out, "ops " OP_NAMES "\n");
	fprintf(out, "figures " INTERVAL_FIGURES "\n");
}

void recorder_decoded(bxInstruction_c *i)
{
	if (i->displ32s() == MARKER_PREPARE || i->displ32s() == MARKER_TELL)
		recorder_watches = true;
}

static void pass(struct cpu *cpu, uint64_t ticks)
{
	if (cpu->interval.is_open)
		cpu->interval.more_ticks += ticks;
	else
		cpu->ticks += ticks;
}

static void obey_marker(struct cpu *cpu, uint32_t marker)
{
	switch (marker) {
	case MARKER_PREPARE:
		open_recording();
		cpu->callstack.clear();
		break;
	case MARKER_BEGIN:
		open_recording();
		recording = true;
		cpu->ticks = 0;
		paths.clear();
		disassembled.clear();
		fprintf(out, "recording %u\n", ++recordings);
		break;
	case MARKER_END:
		if (recording)
			fprintf(out, "end\n");
		recording = false;
		recorder_watches = false;
		break;
	}
}

/*
 * As of the tick that a RDTSC now reads: Bochs lets the time pass only when it has
 * executed all of a trace of instructions, which is the guest's here.
 */
static void stamp(struct cpu *cpu, BX_CPU_C *core)
{
	fprintf(out, "stamp %lu\n",
		cpu->ticks - (core->get_icount() - core->get_icount_last_sync()));
}

/* The guest is in, if only for another exit to follow before its first instruction. */
static void end_interval(struct cpu *cpu, BX_CPU_C *core)
{
	if (cpu->interval.is_open && core->in_vmx_guest)
		cpu->interval.close(&paths, out);
}

static void in_guest(struct cpu *cpu, BX_CPU_C *core, bxInstruction_c *i)
{
	unsigned int op = i->getIaOpcode();

	if (op == BX_IA_NOP)
		obey_marker(cpu, i->displ32s());
	/* How the benchmark's guest begins and ends what it measures, and nothing else */
	if (recording && op == BX_IA_RDTSC && cpu->last_op == BX_IA_LFENCE)
		stamp(cpu, core);
	cpu->last_op = op;
}

static void disassemble(BX_CPU_C *core, bxInstruction_c *i, uint64_t rip)
{
	char text[512];

	if (!disassembled.insert(rip).second)
		return;
	disasm(text, i, core->get_segment_base(BX_SEG_REG_CS), rip, BX_DISASM_GAS);
	fprintf(out, "code %lx %s\n", rip, text);
}

static void in_host(struct cpu *cpu, BX_CPU_C *core, bxInstruction_c *i)
{
	struct instruction instruction = {};

	if (!recording && i->getIaOpcode() == BX_IA_NOP && i->displ32s() == MARKER_TELL) {
		write_memory(SYMBOLS_FILE, core, core->gen_reg[BX_64BIT_REG_RSI].rrx,
			     core->gen_reg[BX_64BIT_REG_RCX].rrx);
		recorder_watches = false;
	}
	if (!cpu->interval.is_open)
		return;

	instruction.address = core->gen_reg[BX_64BIT_REG_RIP].rrx;
	instruction.length = i->ilen();
	instruction.ops = ops_of(i);
	instruction.chain = cpu->callstack.chain(core->gen_reg[BX_64BIT_REG_RSP].rrx);
	instruction.pause = i->getIaOpcode() == BX_IA_PAUSE;
	if (instruction.ops & (OP_RDMSR | OP_WRMSR))
		instruction.msr = core->gen_reg[BX_64BIT_REG_RCX].dword.erx;
	if (!core->get_IF())
		instruction.ops |= OP_IRQ_OFF;
	disassemble(core, i, instruction.address);
	cpu->interval.add(instruction);
}

/* What the last instruction has left to account for, if it was a repeated one. */
static void settle(struct cpu *cpu, BX_CPU_C *core)
{
	class interval *interval = cpu->interval.is_open ? &cpu->interval : NULL;

	pass(cpu, cpu->repeat.end(core, interval));
}

void recorder_before(unsigned int number, bxInstruction_c *i)
{
	BX_CPU_C *core = BX_CPU(number);
	struct cpu *cpu = &cpus[number];

	/* Bochs's own, at the end of a trace of instructions */
	if (i->getIaOpcode() == BX_INSERTED_OPCODE)
		return;

	settle(cpu, core);
	end_interval(cpu, core);
	cpu->in_flight = true;
	cpu->in_exception = false;
	if (core->in_vmx_guest)
		in_guest(cpu, core, i);
	else
		in_host(cpu, core, i);
	/* The interval has it otherwise. */
	if (!cpu->interval.is_open)
		pass(cpu, 1);
	cpu->repeat.begin(i, core);
}

void recorder_after(unsigned int number)
{
	cpus[number].in_flight = false;
}

void recorder_branch(unsigned int number)
{
	if (cpus[number].interval.is_open)
		cpus[number].interval.add_ops(OP_TAKEN);
}

void recorder_near_branch(unsigned int number, unsigned int what, bx_address from)
{
	BX_CPU_C *core = BX_CPU(number);
	struct cpu *cpu = &cpus[number];

	if (core->in_vmx_guest)
		return;
	recorder_branch(number);
	if (out && (what == BX_INSTR_IS_CALL || what == BX_INSTR_IS_CALL_INDIRECT))
		cpu->callstack.call(core->gen_reg[BX_64BIT_REG_RSP].rrx, from, &chains, out);
}

/*
 * Bochs leaves an instruction that does not end for its main loop, and counts a tick for
 * it there; it counts one as well for what leaves from between two instructions.
 */
static void leave(struct cpu *cpu)
{
	if (!cpu->in_flight)
		pass(cpu, 1);
	cpu->in_flight = false;
}

void recorder_exception(unsigned int number)
{
	BX_CPU_C *core = BX_CPU(number);
	struct cpu *cpu = &cpus[number];

	settle(cpu, core);
	end_interval(cpu, core);
	leave(cpu);
	cpu->in_exception = true;
	if (!core->in_vmx_guest)
		cpu->interval.interrupted = true;
}

/* To the guest, Bochs delivers only virtual interrupts, and by way of its main loop. */
void recorder_interrupt(unsigned int number)
{
	BX_CPU_C *core = BX_CPU(number);
	struct cpu *cpu = &cpus[number];

	settle(cpu, core);
	end_interval(cpu, core);
	if (core->in_vmx_guest)
		leave(cpu);
	else
		cpu->interval.interrupted = true;
}

void recorder_access(unsigned int number, bx_address linear, bx_phy_address,
		     unsigned int length, unsigned int rw)
{
	struct cpu *cpu = &cpus[number];

	if (cpu->interval.is_open && !BX_CPU(number)->in_vmx_guest)
		cpu->interval.add_access(linear, length, rw == BX_READ || rw == BX_RW,
					 rw == BX_WRITE || rw == BX_RW);
}

static int64_t detail_of(BX_CPU_C *core, uint32_t reason, uint64_t qualification)
{
	switch (reason) {
	case VMX_VMEXIT_RDMSR:
	case VMX_VMEXIT_WRMSR:
		return core->gen_reg[BX_64BIT_REG_RCX].dword.erx;
	case VMX_VMEXIT_IO_INSTRUCTION:
		return qualification >> 16 & 0xffff;
	}

	return -1;
}

void recorder_exit(unsigned int number, Bit32u reason, Bit64u qualification)
{
	BX_CPU_C *core = BX_CPU(number);
	struct cpu *cpu = &cpus[number];

	settle(cpu, core);
	end_interval(cpu, core);
	/* The exception that exits has left already. */
	if (!cpu->in_exception || (reason & 0xffff) != VMX_VMEXIT_EXCEPTION_NMI)
		leave(cpu);
	/* A VM entry that failed: the host goes on. */
	if (!core->in_vmx_guest)
		return;

	reason &= 0xffff;
	if (recording)
		cpu->interval.open(reason, detail_of(core, reason, qualification));
}
