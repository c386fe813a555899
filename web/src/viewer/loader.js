// Unpacks the viewer's script and runs it as an inline script, which the page's policy allows.
(async () => {
  try {
    const packed = Uint8Array.from(atob(document.getElementById("sinew-script").textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(stream).text();
    document.body.append(script);
  } catch (error) {
    const text = document.createElement("p");
    text.className = "fatal";
    text.textContent = `This page needs a newer browser: Chrome 123, Firefox 120, Safari 17.5 or newer. (${error})`;
    document.body.append(text);
  }
})();
