/** Tests that start our programs start the build. Brings it up to date before the first of them runs. */
import { buildPrograms } from "./build.mjs";

export default buildPrograms;
