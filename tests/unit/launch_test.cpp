#include "collector/launch/launch.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

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
