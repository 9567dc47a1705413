const { readFile } = require("node:fs/promises");
const { Rollbook } = require("rollbook");
const { journey } = require("./journey.js");

const dataset = () => readFile("sample-school.ndjson");
journey(Rollbook, dataset, "school.redb").then(console.log);
