extern "C" int run_doubling();

int main() {
    return run_doubling();
}
