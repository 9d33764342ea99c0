/** How often a test repeats what depends on chance: a quarter of `all`, or all of it where TEST_ALL_ROUNDS is set (CI). */
export const rounds = (all: number): number =>
  process.env.TEST_ALL_ROUNDS === "1" ? all : Math.ceil(all / 4);
