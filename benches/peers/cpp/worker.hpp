// What one side of the race is, in C++: the same orders as rust/src/lib.rs takes.
#pragma once

#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

struct States
{
  int nq = 0, nv = 0;
  std::vector<std::vector<double>> rows; // q, v, a, tau

  explicit States(const std::string & path)
  {
    std::ifstream file(path, std::ios::binary);
    double head[3];
    file.read(reinterpret_cast<char *>(head), sizeof head);
    if (!file)
      throw std::runtime_error("cannot read " + path);
    nq = int(head[0]), nv = int(head[1]);
    rows.assign(std::size_t(head[2]), std::vector<double>(std::size_t(nq + 3 * nv)));
    for (auto & row : rows)
      file.read(reinterpret_cast<char *>(row.data()), std::streamsize(row.size() * sizeof(double)));
  }
};

// What is behind the pointer may have been read and written: no call is dropped or moved.
inline void used(const void * p)
{
  asm volatile("" : : "g"(p) : "memory");
}

// One function of one robot: a call on state i, and its result as a list, matrices by columns.
struct Job
{
  std::function<void()> pass; // over all states
  std::function<void(std::size_t, std::vector<double> &)> value;
};

using Jobs = std::map<std::string, Job>;

inline double time_it(const Job & job, int passes)
{
  job.pass(); // brings code and states back into the caches
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < passes; ++i)
    job.pass();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / passes;
}

inline int serve(const std::string & folder, const std::function<Jobs(const std::string &, std::size_t &)> & load)
{
  std::map<std::string, std::pair<Jobs, std::size_t>> robots;
  std::string line;
  while (std::getline(std::cin, line))
  {
    std::istringstream words(line);
    std::string order, robot, function, last;
    words >> order >> robot >> function >> last;
    if (!robots.count(robot))
    {
      std::size_t count = 0;
      Jobs jobs = load(folder + "/" + robot, count);
      robots[robot] = {std::move(jobs), count};
    }
    auto & [jobs, count] = robots[robot];
    const auto job = jobs.find(function);
    if (job == jobs.end())
      std::puts("none");
    else if (order == "values")
    {
      std::vector<double> all;
      for (std::size_t i = 0; i < count; ++i)
        job->second.value(i, all);
      std::ofstream file(last, std::ios::binary);
      file.write(reinterpret_cast<const char *>(all.data()), std::streamsize(all.size() * sizeof(double)));
      std::puts("written");
    }
    else
      std::printf("%.17g\n", time_it(job->second, std::stoi(last)));
    std::fflush(stdout);
  }
  return 0;
}
