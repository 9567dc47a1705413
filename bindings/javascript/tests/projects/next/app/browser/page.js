// A component that runs in the browser.
"use client";

import { useEffect, useState } from "react";
import { Rollbook } from "rollbook";
import { journey } from "../../journey.js";

const dataset = () => fetch("/sample-school.ndjson");
let travelled;

export default function Page() {
  const [text, show] = useState("");
  useEffect(() => {
    // React runs effects twice in development.
    travelled ??= journey(Rollbook, dataset, "school").catch(String);
    void travelled.then(show);
  }, []);
  return <pre>{text}</pre>;
}
