#include "collector/launch/launch.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "collector/launch/work_directory.hpp"
#include "model/error.hpp"

using namespace gpuproj;

namespace {

launch::Ended shell(const std::string& script, launch::Command command = {}) {
    command.words = {"/bin/sh", "-c", script};
    return launch::run(command);
}

std::string message(const std::string& word) {
    try {
        launch::find_program(word);
        return {};
    } catch (const Error& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("the application's own end is passed on") {
    CHECK(shell("exit 0").status == 0);
    CHECK(shell("exit 7").status == 7);
    CHECK(shell("kill -SEGV $$").status == 128 + SIGSEGV);
    CHECK(shell("kill -KILL $$").status == 128 + SIGKILL);
}

TEST_CASE("arguments arrive as they are, and so does the environment") {
    launch::Command command;
    command.words = {
        "/bin/sh", "-c",  R"([ "$1" = 'a b' ] && [ "$2" = '$x"' ] && [ "$ADDED" = 'new value' ] && [ -n "$PATH" ])",
        "sh",      "a b", "$x\""};
    command.environment = {{"ADDED", "new value"}};
    CHECK(launch::run(command).status == 0);
}

TEST_CASE("an application does not outlive us, and what a killed process left behind is removed by the next") {
    const launch::WorkDirectory shared;  // for what the two processes say of themselves, and as $TMPDIR of both
    const char* const before = std::getenv("TMPDIR");
    const std::string kept = before != nullptr ? before : "";
    setenv("TMPDIR", shared.path().c_str(), 1);
    const auto said = shared.path() / "pids";
    const pid_t us = fork();
    if (us == 0) {
        const launch::WorkDirectory left;
        std::ofstream(left.path() / "records") << "some";
        shell("echo $$ > " + said.string() + ".part; mv " + said.string() + ".part " + said.string() +
              "; exec sleep 60");
        _exit(0);
    }
    using namespace std::chrono_literals;
    for (int i = 0; i < 200 && !std::filesystem::exists(said); ++i) std::this_thread::sleep_for(50ms);
    pid_t application = 0;
    std::ifstream(said) >> application;
    REQUIRE(application > 0);
    const auto directories = [&] {
        std::vector<std::filesystem::path> found;
        for (const auto& entry : std::filesystem::directory_iterator(shared.path()))
            if (entry.is_directory()) found.push_back(entry.path());
        return found;
    };
    const auto left = directories();
    REQUIRE(left.size() == 1);
    {
        const launch::WorkDirectory beside;  // what is of a living process stays
        CHECK(std::filesystem::exists(left[0] / "records"));
    }
    kill(us, SIGKILL);
    waitpid(us, nullptr, 0);
    const auto runs = [&] {  // and is no zombie, whoever inherited it
        std::ifstream status("/proc/" + std::to_string(application) + "/stat");
        std::string text{std::istreambuf_iterator<char>(status), {}};
        const auto state = text.find(") ");
        return state != std::string::npos && text[state + 2] != 'Z';
    };
    for (int i = 0; i < 200 && runs(); ++i) std::this_thread::sleep_for(50ms);
    CHECK_FALSE(runs());
    CHECK(std::filesystem::exists(left[0]));
    {
        const launch::WorkDirectory next;
        CHECK_FALSE(std::filesystem::exists(left[0]));
        CHECK(std::filesystem::exists(next.path()));
    }
    CHECK(directories().empty());
    if (before != nullptr) {
        setenv("TMPDIR", kept.c_str(), 1);
    } else {
        unsetenv("TMPDIR");
    }
}

TEST_CASE("a time limit ends the application, even one that ignores SIGTERM") {
    launch::Command command;
    command.timeout = Seconds{0.2};
    const auto polite = shell("exec sleep 20", command);
    CHECK(polite.timed_out);
    CHECK(polite.status == 128 + SIGTERM);
    CHECK(polite.wall_time.value < 10);
    const auto stubborn = shell("trap '' TERM; while :; do sleep 0.1; done", command);
    CHECK(stubborn.timed_out);
    CHECK(stubborn.status == 128 + SIGKILL);
}

TEST_CASE("a signal sent to us reaches the application and does not end us") {
    std::thread sender([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        kill(getpid(), SIGTERM);
    });
    const auto ended = shell("trap 'exit 42' TERM; while :; do sleep 0.05; done");
    sender.join();
    CHECK(ended.status == 42);
    CHECK(ended.interrupted == SIGTERM);
}

TEST_CASE("what is no program is refused with what to do") {
    const auto directory = std::filesystem::temp_directory_path();
    const auto file = directory / ("gpuproj_not_executable_" + std::to_string(getpid()));
    std::ofstream(file) << "data";
    CHECK(message("/no/such/file").find("no such file") != std::string::npos);
    CHECK(message(directory / ".").find("is a directory") != std::string::npos);
    CHECK(message(file).find("not executable") != std::string::npos);
    CHECK(message("no-such-program-anywhere").find("PATH") != std::string::npos);
    CHECK(message("sh").empty());
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    launch::Command command;
    command.words = {file};
    CHECK_THROWS_AS(launch::run(command), Error);  // text without "#!"
    std::filesystem::remove(file);
}
