#include "reports/html.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "reports/html_parts.hpp"

namespace gpuproj {

bool html_has_charts() {
    return !html_part("plotly.js").empty();
}

std::string html_escaped(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

std::string json_for_script(const nlohmann::ordered_json& json) {
    // "<" stands only in texts, where \u003c is the same character. Names are bytes of binaries and command lines: what
    // is no UTF-8 becomes U+FFFD.
    const auto text = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        if (c == '<') {
            out += "\\u003c";
        } else {
            out += c;
        }
    }
    return out;
}

std::string filled(std::string_view text, std::span<const std::pair<std::string_view, std::string_view>> parts) {
    std::string out;
    std::size_t size = text.size();
    for (const auto& part : parts) size += part.second.size();
    out.reserve(size);
    for (std::size_t at = 0; at < text.size();) {
        const auto open = text.find("{{", at);
        out += text.substr(at, open - at);
        if (open == std::string_view::npos) break;
        const auto close = text.find("}}", open);
        const auto name = text.substr(open + 2, close - open - 2);
        for (const auto& part : parts) {
            if (part.first == name) out += part.second;
        }
        at = close + 2;
    }
    return out;
}

std::string html_page(const nlohmann::ordered_json& report) {
    const auto data = json_for_script(report);
    const auto escaped = [&](const char* key) {
        // Through dump, for texts that are no UTF-8.
        const auto valid = report.at("answer").at(key).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        return html_escaped(nlohmann::json::parse(valid).get<std::string>());
    };
    const auto title = escaped("title");
    const auto sentence = escaped("sentence");
    const std::array<std::pair<std::string_view, std::string_view>, 7> parts = {
        {{"style", html_part("style.css")},
         {"script", html_part("script.js")},
         {"plotly", html_part("plotly.js")},
         {"charts", html_has_charts() ? "yes" : "no"},
         {"data", data},
         {"title", title},
         {"sentence", sentence}}};
    return filled(html_part("page.html"), parts);
}

}  // namespace gpuproj
