#include "model.h"
#include <cstdio>
#include <stdexcept>
#include <utility>
#include <vector>

// The log-density of parameters, given points. A thread uses an object of its own.
class LogDensity {
public:
    LogDensity(std::vector<double> x, std::vector<double> y) : x_(std::move(x)), y_(std::move(y)) {}

    double operator()(const std::vector<double> &q, std::vector<double> &gradient)
    {
        int64_t sizes[LOGP_SIZES];
        check(logp_sizes(q.data(), length(q), x_.data(), length(x_), y_.data(), length(y_), sizes));
        scratch_.resize((sizes[0] + sizeof(Block) - 1) / sizeof(Block));
        gradient.resize(sizes[1]);
        double density;
        check(logp(q.data(), length(q), x_.data(), length(x_), y_.data(), length(y_), &density,
                   gradient.data(), scratch_.data()));
        return density;
    }

private:
    struct alignas(16) Block {
        unsigned char bytes[16];
    };

    static int64_t length(const std::vector<double> &v) { return static_cast<int64_t>(v.size()); }

    static void check(int code)
    {
        if (code != 0) throw std::runtime_error(model_message(code));
    }

    std::vector<double> x_, y_;
    std::vector<Block> scratch_;
};

int main()
{
    LogDensity density({0.0, 1.0, 2.0, 3.0}, {0.4, 2.7, 4.4, 6.5});
    std::vector<double> gradient;
    const double value = density({0.5, 2.0, -1.0}, gradient);
    std::printf("%.17g %.17g %.17g %.17g\n", value, gradient[0], gradient[1], gradient[2]);

    LogDensity wrong({0.0, 1.0, 2.0, 3.0}, {0.4, 2.7, 4.4});
    try {
        wrong({0.5, 2.0, -1.0}, gradient);
    } catch (const std::runtime_error &error) {
        std::printf("%s\n", error.what());
    }
}
