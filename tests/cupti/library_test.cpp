#include <dlfcn.h>
#include <catch2/catch.hpp>

#include <cstdlib>
#include <string>

#include "collector/cupti/environment.hpp"
#include "collector/launch/work_directory.hpp"
#include "collector/records/log.hpp"
#include "collector/records/session.hpp"

using namespace gpuproj;
using Catch::Matchers::Contains;

TEST_CASE("the injected library loads without a driver, exports two functions and does no harm") {
    void* library = dlopen(GPUPROJ_CUPTI_SO, RTLD_NOW | RTLD_LOCAL);
    INFO((library == nullptr ? dlerror() : ""));
    REQUIRE(library != nullptr);
    using Initialise = int (*)();
    const auto initialise = reinterpret_cast<Initialise>(dlsym(library, "InitializeInjection"));
    REQUIRE(initialise != nullptr);
    CHECK(dlsym(library, "gpuproj_cupti_plans") != nullptr);
    CHECK(dlsym(library, "_ZN7gpuproj5ErrorD1Ev") == nullptr);

    // Outside a session of gpuproj's it does nothing.
    unsetenv(records::session_variable);
    CHECK(initialise() == 1);

    const launch::WorkDirectory session;
    setenv(records::session_variable, session.path().c_str(), 1);
    setenv(cupti::mode_variable, cupti::counters_mode, 1);
    CHECK(initialise() == 1);
    CHECK(initialise() == 1);  // a second cuInit
    unsetenv(records::session_variable);
    const auto log = records::read_logs(session.path());
    CHECK(log.begun == 1);
    // Where there is a driver there is nothing to tell.
    for (const auto& failure : log.failures) CHECK_THAT(failure.what, Contains("cuptiSubscribe"));
}
