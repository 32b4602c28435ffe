// The one dependency rule: everything depends on core, no package depends on a sibling, only the app imports them all.
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** What core may depend on, exactly. */
const coreDependencies = ["jiti", "jsonrepair", "re2js", "yaml", "zod"];

/** Whatever looks like an import, wherever it stands: static, dynamic, or require. */
const specifiers = /\b(?:from|import|require)\s*\(?\s*["'`]([^"'`\n]+)["'`]/g;

/** Everything in the workspace below `root` that breaks the rule, as sentences. */
export function boundaryProblems(root) {
  const problems = [];
  const packages = readdirSync(join(root, "packages"));
  for (const name of packages) {
    const folder = join(root, "packages", name);
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const declared = Object.keys({
      ...manifest.dependencies,
      ...manifest.peerDependencies,
      ...manifest.optionalDependencies,
    });
    const inDevelopment = Object.keys(manifest.devDependencies ?? {});
    const allowed = name === "core" ? [] : ["@turnwise/core"];
    for (const dependency of [...declared, ...inDevelopment])
      if (isOurs(dependency) && !allowed.includes(dependency))
        problems.push(
          `packages/${name}/package.json depends on ${dependency}; packages may depend on core only`,
        );
    if (name === "core" && declared.toSorted().join() !== coreDependencies.join())
      problems.push(
        `packages/core/package.json depends on ${declared.toSorted().join(", ")}; core depends on exactly ${coreDependencies.join(", ")}`,
      );
    for (const file of sources(join(folder, "src"))) {
      const place = relative(root, file).split(sep).join("/");
      for (const [, specifier] of readFileSync(file, "utf8").matchAll(specifiers)) {
        if (specifier.startsWith(".")) {
          if (relative(folder, resolve(dirname(file), specifier)).startsWith(".."))
            problems.push(`${place} imports ${specifier}, which is outside its package`);
        } else if (isOurs(specifier) && !allowed.includes(specifier))
          problems.push(
            `${place} imports ${specifier}; packages may import core only, by its public name`,
          );
      }
    }
  }
  return problems;
}

function isOurs(specifier) {
  return specifier === "turnwise" || specifier.startsWith("@turnwise/");
}

function sources(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const problems = boundaryProblems(fileURLToPath(new URL("..", import.meta.url)));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
