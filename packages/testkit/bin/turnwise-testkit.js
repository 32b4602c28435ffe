#!/usr/bin/env node
// In the repository this file exists before the first build, so that package managers can link it.
await import("../dist/main.js");
