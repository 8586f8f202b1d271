// Where in a JSON text its keys stand, which the parser does not keep.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpuproj::import {

/// Lines count from 1. A path is the keys from the root, each after a line feed, which no key on one line holds
/// unescaped; elements of arrays go by the path of their array. Four levels are kept.
struct JsonPlaces {
    struct Key {
        std::string path;
        int line;
    };
    std::map<std::string, int> lines;  // of each path, the last where it stands twice
    std::vector<Key> repeated;         // keys that an object holds twice: parsers drop all but the last

    /// The line of root[keys[0]][keys[1]]...; of its nearest parent that stands there, or 0.
    int line(const std::vector<std::string_view>& keys) const;
};

/// The places in `text`, as far as it is JSON.
JsonPlaces find_json_places(std::string_view text);

}  // namespace gpuproj::import
