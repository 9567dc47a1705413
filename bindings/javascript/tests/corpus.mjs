// Runs the corpus, whose cases consist of datasets, requests and exact answers. Pages and programs
// for Node import this module.

/** The cursors in the answers of a case, by the names that the case uses for them. */
class Cursors {
  #known = new Map();

  /** Replaces each `<NAME>` in a target by the cursor. */
  target(target) {
    return target.replaceAll(/<(.*?)>/g, (_, name) => {
      if (!this.#known.has(name)) throw new Error(`no answer before gave <${name}>`);
      return this.#known.get(name);
    });
  }

  /** Returns whether an answer is the expected one. If it is, its cursor is stored. */
  fits(found, expected) {
    const named = /"next_cursor":"<([a-z0-9]+)>"/.exec(expected);
    if (named === null) return found === expected;
    const [before, after] = expected.split(`<${named[1]}>`);
    const cursor = found.slice(before.length, found.length - after.length);
    const fits =
      found.startsWith(before) && found.endsWith(after) && /^[A-Za-z0-9_-]+$/.test(cursor);
    if (fits) this.#known.set(named[1], cursor);
    return fits;
  }
}

function same(found, expected) {
  const [left, right] = [JSON.stringify(found), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${left} is not ${right}`);
}

const fits = (message, text) => ("is" in message ? text === message.is : text.startsWith(message.starts));

async function change(run, { fault, counts }) {
  let summary;
  try {
    summary = await run();
  } catch (error) {
    if (fault === null || error.code !== "bad_dataset" || !fits(fault, error.message)) throw error;
    return;
  }
  if (fault !== null) throw new Error(`it was to be refused: ${JSON.stringify(fault)}`);
  const found = Object.entries(summary.kinds).map(
    ([kind, n]) => `${kind} +${n.added} ~${n.changed} -${n.removed} .${n.unchanged}`,
  );
  if (counts.length > 0) same(found.sort(), counts);
}

async function request(engine, cursors, step) {
  const { method, headers, body } = step;
  const options = { method, headers, body };
  if (step.now !== null) options.now = new Date(step.now * 1000);
  const answer = await engine.request(cursors.target(step.target), options);
  const found = answer.text();
  if (!cursors.fits(found, step.answer)) throw new Error(`${found} is not ${step.answer}`);
  same(answer.status, step.status);
  const allow = step.allow === null ? [] : [["Allow", step.allow]];
  same(answer.headers, [
    ["Content-Type", "application/json; charset=utf-8"],
    ["Content-Length", String(new TextEncoder().encode(found).byteLength)],
    ...allow,
  ]);
}

/** Runs a case on an empty engine. Returns the number of its requests. */
async function run(engine, { steps }) {
  const cursors = new Cursors();
  let requests = 0;
  for (const step of steps) {
    const { dataset, school } = step;
    switch (step.step) {
      case "apply":
        await change(() => engine.apply(dataset), step.expected);
        break;
      case "replace_school":
        await change(() => engine.replaceSchool(school, dataset), step.expected);
        break;
      case "remove_school":
        await change(() => engine.removeSchool(school), step.expected);
        break;
      case "erase_learner":
        await change(() => engine.eraseLearner(school, step.learner), step.expected);
        break;
      case "check": {
        const faults = await engine.check(dataset, { limit: step.limit });
        const texts = faults.map(({ line, what }) => `line ${line}: ${what}`);
        same(texts.length, step.faults.length);
        if (!texts.every((text, place) => fits(step.faults[place], text))) throw new Error(texts);
        break;
      }
      case "export":
        same(await new Response(engine.export()).text(), step.lines);
        break;
      case "request":
        requests += 1;
        await request(engine, cursors, step);
        break;
      default:
        throw new Error(`no step ${step.step}`);
    }
  }
  same((await engine.verify()).problems, []);
  return requests;
}

/**
 * Runs every case of the corpus, each on an engine that `open` returns and that `close` closes.
 * `lanes` cases run at a time. Returns the numbers of cases and requests, and the failures.
 */
export async function runCorpus(lines, open, close = (engine) => engine.close(), lanes = 1) {
  const cases = lines.trimEnd().split("\n").map((line) => JSON.parse(line));
  const failures = [];
  let requests = 0;
  const left = cases.entries();
  const lane = async () => {
    for (const [number, each] of left) {
      const engine = await open(number);
      try {
        const ran = await run(engine, each);
        requests += ran;
      } catch (error) {
        failures.push(`${each.name}\n${error}`);
      }
      await close(engine, number);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { cases: cases.length, requests, failures };
}

/** Checks that the whole corpus ran, given its size, and that no case failed. */
export function judge({ cases, requests, failures }, size) {
  if (failures.length > 0) throw new Error(failures.join("\n"));
  same({ cases, requests }, size);
}
