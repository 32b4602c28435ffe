export { default } from "./user-sim.js";
