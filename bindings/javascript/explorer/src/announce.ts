// Announcements for screen readers, which are not visible on the page.

let pending: ReturnType<typeof setTimeout> | undefined;

/** Announces a text after a short pause, or only the last of several texts within the pause. */
export function announce(text: string): void {
  clearTimeout(pending);
  pending = setTimeout(() => {
    const region = document.getElementById("announcements");
    if (region !== null) region.textContent = text;
  }, 150);
}
