---- MODULE HTML ----
LOCAL INSTANCE Sequences
LOCAL INSTANCE SequencesExt

LOCAL Joined(texts, separator) ==
    FoldLeft(LAMBDA all, text : IF all = "" THEN text ELSE all \o separator \o text, "", texts)
LOCAL Lines(texts) == Joined(texts, "\n")

HTMLFill(text, pairs) == FoldLeft(LAMBDA all, pair : ReplaceFirstSubSeq(pair[2], pair[1], all), text, pairs)
HTMLDocument(header, body, scripts) == Lines(<<"<!DOCTYPE html>", "<html>", header, body, Lines(scripts), "</html>">>)
HTMLClass(name, attributes) == Lines(<<name \o " {", Lines(attributes), "}">>)
HTMLAttribute(name, value) == name \o ": " \o value \o ";"
HTMLDefaultStyle ==
    Lines(<<HTMLClass(".default_grid", <<HTMLAttribute("display", "grid")>>),
            HTMLClass(".default_box", <<HTMLAttribute("border", "1px solid black")>>),
            HTMLClass(".default_circle", <<HTMLAttribute("border-radius", "50%")>>)>>)
HTMLStyleSheet(classes) == Lines(<<"<style type=\"text/css\">", HTMLDefaultStyle, Lines(classes), "</style>">>)
HTMLScriptFile(name) == "<script src=\"" \o name \o "\"></script>"
HTMLScript(children) == Lines(<<"<script>", Lines(children), "</script>">>)
HTMLLink(name, type) == "<link href=\"" \o name \o "\" rel=\"" \o type \o "\"/>"
HTMLHeader(title, links, classes) ==
    Lines(<<"<head>", "<meta charset=\"UTF-8\">", "<title>" \o title \o "</title>", Lines(links), HTMLStyleSheet(classes), "</head>">>)
HTMLBody(body) == Lines(<<"<body>", body, "</body>">>)
HTMLFrame(id, children) == Lines(<<"<div id=\"" \o id \o "\">", Lines(children), "</div>">>)
HTMLGridContainer(id, classes, children) ==
    Lines(<<"<div id=\"" \o id \o "\" class=\"default_grid " \o Joined(classes, " ") \o "\">", Lines(children), "</div>">>)
HTMLBox(id, classes, size, children) ==
    Lines(<<"<div id=\"" \o id \o "\" class=\"default_box " \o Joined(classes, " ") \o "\" style=\"" \o size \o "\">",
            Lines(children), "</div>">>)
HTMLCircle(id, classes, size, children) == HTMLBox(id, <<"default_circle">> \o classes, size, children)
HTMLText(id, text) == Lines(<<"<span id=\"" \o id \o "\">", text, "</span>">>)
HTMLSVG(id, viewBox, size, svg) ==
    Lines(<<"<svg id=\"" \o id \o "\" viewBox=\"" \o viewBox \o "\" style=\"" \o size \o "\">", svg, "</svg>">>)
HTMLSize(width, height) == HTMLAttribute("width", width) \o " " \o HTMLAttribute("height", height)
HTMLNewLine == "<br>"
HTMLFlexCenterAttributes ==
    Lines(<<HTMLAttribute("display", "flex"), HTMLAttribute("align-items", "center"), HTMLAttribute("justify-content", "center")>>)
HTMLJSLineElems(from, to) == "document.getElementById(\"" \o from \o "\"), document.getElementById(\"" \o to \o "\")"
HTMLJSLine(from, to, color, size) ==
    "new LeaderLine(" \o HTMLJSLineElems(from, to) \o ", {color: '" \o color \o "', size: " \o size \o "})"
HTMLJSLineDash(from, to, color, size) ==
    "new LeaderLine(" \o HTMLJSLineElems(from, to) \o ",  {color: '" \o color \o "', size: " \o size \o ", dash: true})"
HTMLJSKeyListener(events) ==
    Lines(<<"window.onkeyup = function(event) {", "let key = event.key.toUpperCase();", Lines(events), "}">>)
HTMLJSNavigationKey(key, file) ==
    Lines(<<"if(key == '" \o key \o "'){", "window.location.replace(\"" \o file \o "\");", "}">>)
====
