// Finds the library beside itself, as plug-ins are found.
#include <dlfcn.h>

#include <string>

int main(int, char** words) {
    const std::string self = words[0];
    void* library = dlopen((self.substr(0, self.rfind('/') + 1) + "libdoubling.so").c_str(), RTLD_NOW);
    if (library == nullptr) return 10;
    const auto run = reinterpret_cast<int (*)()>(dlsym(library, "run_doubling"));
    const int result = run == nullptr ? 11 : run();
    dlclose(library);
    return result;
}
