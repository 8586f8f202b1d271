// What the application wants to know the end of: objects that it and graphs refer to.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

namespace gpuproj::simulate {

/// Calls the application's destructor with the last reference; no lock of ours is held.
class UserObject {
public:
    UserObject(void (*destroy)(void*), void* data) : destroy_(destroy), data_(data) {}
    ~UserObject();
    UserObject(const UserObject&) = delete;
    UserObject& operator=(const UserObject&) = delete;

private:
    void (*destroy_)(void*);
    void* data_;
};

/// How often a graph refers to which. A copy of the graph refers to them as often.
using UserReferences = std::map<std::shared_ptr<UserObject>, std::uint64_t>;

}  // namespace gpuproj::simulate
