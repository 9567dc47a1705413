// What a screen reader is told beside what is seen.

let pending: ReturnType<typeof setTimeout> | undefined;

/** Says it once what was said before is likely over; of several the last is said. */
export function announce(text: string): void {
  clearTimeout(pending);
  pending = setTimeout(() => {
    const region = document.getElementById("announcements");
    if (region !== null) region.textContent = text;
  }, 150);
}
