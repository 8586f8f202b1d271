#include "collector/launch/launch.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <boost/process.hpp>
#include <boost/process/extend.hpp>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

#include "model/error.hpp"

namespace gpuproj::launch {

namespace {

namespace bp = boost::process;
using Clock = std::chrono::steady_clock;

constexpr auto tick_period = std::chrono::milliseconds(200);
constexpr std::array handled_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// What a signal handler may touch.
std::atomic<pid_t> child_process{0};
std::atomic<int> received_signal{0};

void forward(int signal, siginfo_t* info, void*) {
    received_signal = signal;
    // What the terminal sends goes to the whole process group, the child included; the rest was meant for us alone.
    const bool from_terminal = info->si_code > 0;
    const pid_t child = child_process;
    if (!from_terminal && child > 0) kill(child, signal);
}

// Our handlers while the child runs; at exec the child is back at the defaults.
class SignalForwarding {
public:
    SignalForwarding() {
        child_process = 0;
        received_signal = 0;
        struct sigaction action {};
        action.sa_sigaction = forward;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        for (std::size_t i = 0; i < handled_signals.size(); ++i) {
            sigaction(handled_signals[i], nullptr, &before_[i]);
            // What was ignored on purpose (nohup) stays so, in the child too.
            if (before_[i].sa_handler != SIG_IGN) sigaction(handled_signals[i], &action, nullptr);
        }
    }
    ~SignalForwarding() {
        child_process = 0;
        for (std::size_t i = 0; i < handled_signals.size(); ++i) sigaction(handled_signals[i], &before_[i], nullptr);
    }
    SignalForwarding(const SignalForwarding&) = delete;
    SignalForwarding& operator=(const SignalForwarding&) = delete;

private:
    std::array<struct sigaction, handled_signals.size()> before_{};
};

bp::environment environment_of(const Command& command) {
    bp::environment environment = boost::this_process::environment();
    for (const auto& [name, value] : command.environment) environment[name] = value;
    return environment;
}

std::vector<std::string> arguments_of(const Command& command) {
    return {command.words.begin() + 1, command.words.end()};
}

/// In the child, before it becomes the program: nobody reads what it records once we are gone, so it is ended then,
/// also where we are killed and cannot pass that on.
auto ends_with_us() {
    return bp::extend::on_exec_setup([parent = getpid()](const auto&) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent) raise(SIGTERM);  // we went before that was set
    });
}

[[noreturn]] void cannot_start(const std::string& program, const std::error_code& error) {
    const auto why = error == std::errc::executable_format_error
                         ? "it is no program of this machine, nor does its first line (#!) say which one runs it; name "
                           "that in front of it, such as sh"
                     : error == std::errc::no_such_file_or_directory
                         ? "what runs it is missing: the program on its first line (#!), or the loader that it was "
                           "linked for"
                         : error.message();
    throw Error(fmt::format("{}: cannot be started: {}", program, why));
}

bp::child start(const Command& command, const std::string& program) {
    const auto environment = environment_of(command);
    const auto arguments = arguments_of(command);
    std::error_code error;
    if (command.drop_stdout) {
        bp::child quiet(bp::exe = program, bp::args = arguments, environment, bp::std_out > bp::null, ends_with_us(),
                        error);
        if (error) cannot_start(program, error);
        return quiet;
    }
    bp::child child = command.stdout_to_stderr
                          ? bp::child(bp::exe = program, bp::args = arguments, environment, bp::std_out > stderr,
                                      ends_with_us(), error)
                          : bp::child(bp::exe = program, bp::args = arguments, environment, ends_with_us(), error);
    if (error) cannot_start(program, error);
    return child;
}

}  // namespace

Ended run(const Command& command) {
    const auto program = find_program(command.words.at(0));
    Ended ended;
    const SignalForwarding forwarding;
    const auto begin = Clock::now();
    bp::child child = start(command, program);
    child_process = child.id();

    std::mutex mutex;
    std::condition_variable done;
    bool finished = false;
    std::thread waiter([&] {
        std::error_code error;
        child.wait(error);
        const std::lock_guard lock(mutex);
        finished = true;
        done.notify_one();
    });

    const auto duration_of = [](Seconds time) {
        return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(time.value));
    };
    std::optional<Clock::time_point> deadline;
    if (command.timeout) deadline = begin + duration_of(*command.timeout);
    std::unique_lock lock(mutex);
    while (!done.wait_for(lock, tick_period, [&] { return finished; })) {
        lock.unlock();
        if (command.tick) command.tick();
        lock.lock();
        if (finished || !deadline || Clock::now() < *deadline) continue;
        kill(child.id(), ended.timed_out ? SIGKILL : SIGTERM);
        ended.timed_out = true;
        deadline = Clock::now() + duration_of(command.grace);
    }
    lock.unlock();
    waiter.join();
    ended.wall_time = Seconds{std::chrono::duration<double>(Clock::now() - begin).count()};

    const int raw = child.native_exit_code();
    ended.status = WIFSIGNALED(raw) ? 128 + WTERMSIG(raw) : WEXITSTATUS(raw);
    if (const int signal = received_signal; signal != 0) ended.interrupted = signal;
    return ended;
}

std::string output_of(const Command& command) {
    const auto program = find_program(command.words.at(0));
    bp::ipstream output;
    std::error_code error;
    bp::child child(bp::exe = program, bp::args = arguments_of(command), environment_of(command),
                    bp::std_in<bp::null, bp::std_out> output, bp::std_err > bp::null, error);
    if (error) cannot_start(program, error);
    std::string text(std::istreambuf_iterator<char>(output), {});
    child.wait(error);
    return text;
}

}  // namespace gpuproj::launch
